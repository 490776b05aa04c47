import Encodings
import Languages
import WebServing

/// The files of `Resources/`, which the build embeds in the executable.
enum PageResources {
    /// The script files by their names. One address serves them in this order, behind what all pages share: they share their
    /// names, and a page needs one request for all.
    static let scripts = [
        ("passkeys.js", PackageResources.passkeys_js), ("notifications.js", PackageResources.notifications_js),
        ("page.js", PackageResources.page_js),
    ]

    private static let script = ([SharedPageFiles.calls] + scripts.map { text($0.1) }).joined(separator: "\n")

    /// The sentences of the pages, one file for each language. `docs/translating.md` is for their translators.
    static let sentences = SentenceBook([
        .english: PackageResources.sentences_en_json, .german: PackageResources.sentences_de_json,
        .french: PackageResources.sentences_fr_json, .spanish: PackageResources.sentences_es_json,
    ])

    /// The files with sentences, in each language: escaped as the kind of file needs it.
    static let spokenFiles = sentences.inEachLanguage { sentences in
        [
            "page.js": sentences.filling(script, escaping: Sentences.inLiteral),
            "worker.js": sentences.filling(
                text(PackageResources.worker_js).replacing("\"[[notices]]\"", with: notices(in: sentences)) + "\n"
                    + SharedPageFiles.worker,
                escaping: Sentences.inLiteral),
            "app.webmanifest": sentences.filling(
                text(PackageResources.app_webmanifest), escaping: Sentences.inLiteral),
            "offline.html": sentences.filling(text(PackageResources.offline_html)),
        ]
    }
    static let spokenTypes = [
        "page.js": "text/javascript; charset=utf-8", "worker.js": "text/javascript; charset=utf-8",
        "app.webmanifest": "application/manifest+json", "offline.html": "text/html; charset=utf-8",
    ]

    /// The sentences of notices besides those with a key of their own.
    private static let alsoInNotices = ["alert.title", "connection.connect-again", "event.arrived"]

    /// Returns the sentences of notices by the English ones, as an object of JSON; none for English, in which notices come.
    private static func notices(in own: Sentences) -> String {
        guard own.language != .english else { return "{}" }
        let english = sentences[.english]
        let keys = sentences.keys.filter { $0.hasPrefix("notice.") } + alsoInNotices
        let pairs = keys.map { (english[$0], JSONValue.string(own[$0])) }
        return JSONValue.object(Dictionary(pairs) { first, _ in first }).compactText()
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The files that are served as they are, with their media types. They hold nothing of any user.
    static let files = SharedPageFiles.pictures.merging([
        "style.css": (
            "text/css; charset=utf-8", Array((SharedPageFiles.style + "\n" + text(PackageResources.style_css)).utf8)
        ), "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]) { _, own in own }

    /// The Mustache templates by their file names.
    static let templates = [
        "alert": PackageResources.alert_mustache, "alertRow": PackageResources.alertRow_mustache,
        "alerts": PackageResources.alerts_mustache, "brief": PackageResources.brief_mustache,
        "briefContent": PackageResources.briefContent_mustache,
        "confirmation": PackageResources.confirmation_mustache,
        "confirmations": PackageResources.confirmations_mustache,
        "connections": PackageResources.connections_mustache, "data": PackageResources.data_mustache,
        "deleted": PackageResources.deleted_mustache, "message": PackageResources.message_mustache,
        "moment": PackageResources.moment_mustache, "page": PackageResources.page_mustache,
        "settings": PackageResources.settings_mustache, "signIn": PackageResources.signIn_mustache,
        "today": PackageResources.today_mustache,
    ]

    /// The compiled templates in each language. Every value is escaped except a page's rendered body.
    static let libraries = sentences.inEachLanguage { sentences in
        PageTemplates.library(templates.mapValues { Array(sentences.filling(text($0)).utf8) })
    }
}
