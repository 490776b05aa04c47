import Languages
import WebServing

/// The files of `Resources/`, which the build embeds in the executable so that a copied binary needs no folder beside it.
enum PageResources {
    static let style = SharedPageFiles.style + "\n" + text(PackageResources.style_css)

    /// The script files by their names. One address serves them in this order, behind what all pages share: they share their
    /// names, and a page needs one request for all.
    static let scripts = [
        ("passkeys.js", PackageResources.passkeys_js), ("live.js", PackageResources.live_js),
        ("notifications.js", PackageResources.notifications_js),
        ("authenticator.js", PackageResources.authenticator_js), ("banks.js", PackageResources.banks_js),
        ("clients.js", PackageResources.clients_js), ("pairing.js", PackageResources.pairing_js),
        ("page.js", PackageResources.page_js),
    ]
    private static let script = ([SharedPageFiles.calls] + scripts.map { text($0.1) }).joined(separator: "\n")

    /// The sentences of the page, one file for each language. `docs/translating.md` is for their translators.
    static let sentences = SentenceBook([
        .english: PackageResources.sentences_en_json, .german: PackageResources.sentences_de_json,
        .french: PackageResources.sentences_fr_json, .spanish: PackageResources.sentences_es_json,
    ])

    /// The page's script in each language.
    static let spokenScripts = sentences.inEachLanguage { $0.filling(script, escaping: Sentences.inLiteral) }

    /// The other files with sentences, in each language: escaped as the kind of file needs it.
    static let spokenFiles = sentences.inEachLanguage { sentences in
        [
            "offline.html": sentences.filling(text(PackageResources.offline_html)),
            "worker.js": sentences.filling(
                text(PackageResources.worker_js) + "\n" + SharedPageFiles.worker, escaping: Sentences.inLiteral),
            "app.webmanifest": sentences.filling(manifest, escaping: Sentences.inLiteral),
        ]
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The files that are served as they are, with their media types, and that hold nothing of this phone.
    static let files = SharedPageFiles.pictures.merging([
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg)
    ]) { _, own in own }
    private static let manifest = text(PackageResources.app_webmanifest)

    /// The Mustache templates by their file names.
    static let templates = [
        "addBank": PackageResources.addBank_mustache, "addedBank": PackageResources.addedBank_mustache,
        "approval": PackageResources.approval_mustache, "ask": PackageResources.ask_mustache,
        "audit": PackageResources.audit_mustache,
        "authenticator": PackageResources.authenticator_mustache, "banks": PackageResources.banks_mustache,
        "card": PackageResources.card_mustache, "clients": PackageResources.clients_mustache,
        "documents": PackageResources.documents_mustache,
        "connect": PackageResources.connect_mustache, "devices": PackageResources.devices_mustache,
        "door": PackageResources.door_mustache, "forget": PackageResources.forget_mustache,
        "forgotten": PackageResources.forgotten_mustache, "history": PackageResources.history_mustache,
        "home": PackageResources.home_mustache, "household": PackageResources.household_mustache,
        "message": PackageResources.message_mustache,
        "moment": PackageResources.moment_mustache, "offer": PackageResources.offer_mustache,
        "page": PackageResources.page_mustache, "pair": PackageResources.pair_mustache,
        "passkeys": PackageResources.passkeys_mustache, "passphrase": PackageResources.passphrase_mustache,
        "past": PackageResources.past_mustache,
        "question": PackageResources.question_mustache, "readScript": PackageResources.readScript_mustache,
        "report": PackageResources.report_mustache,
        "run": PackageResources.run_mustache,
        "settings": PackageResources.settings_mustache, "signIn": PackageResources.signIn_mustache,
        "trust": PackageResources.trust_mustache,
    ]

    /// The compiled templates in each language. Every value is escaped except a page's rendered body and the drawing of a QR
    /// code.
    static let libraries = sentences.inEachLanguage { sentences in
        PageTemplates.library(templates.mapValues { Array(sentences.filling(text($0)).utf8) })
    }
}
