import Clocks
import Encodings
import Foundation
import HTTPTypes
import Languages
import TestSupport
import Testing
import WebServing

@testable import AssistantPage

/// The check of translations: a language that fails it is not offered.
@Suite("The sentences of the assistant's pages")
struct PageTextTests {
    private static let book = PageResources.sentences

    @Test("every language has each sentence, with the same places, markup and commands", arguments: Language.allCases)
    func whole(language: Language) {
        #expect(Self.book.faults(of: language) == [])
        #expect(Self.book.offered.contains(language))
    }

    @Test("no key is missing, and none is unused")
    func keys() throws {
        var used = Set<String>()
        let areas = Set(Self.book.keys.map { $0.prefix { $0 != "." } })
        let folder = Repository.file("Sources/Assistant/AssistantPage")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files {
            switch file.pathExtension {
            case "swift":
                let text = try String(contentsOf: file, encoding: .utf8)
                used.formUnion(
                    text.matches(of: /"([a-z-]+\.[a-z-]+)"/).map { String($0.1) }
                        .filter { areas.contains($0.prefix { $0 != "." }) && PageResources.spokenTypes[$0] == nil })
            case "js", "html", "webmanifest", "mustache":
                used.formUnion(Sentences.keys(in: try String(contentsOf: file, encoding: .utf8)))
            default: break
            }
        }
        used.formUnion(Sentences.keys(in: SharedPageFiles.calls + SharedPageFiles.worker))
        // Those whose last part is the name of a value.
        used.formUnion(PageViews.Place.allCases.map { "place.\($0.rawValue)" })
        for rule in PageViews.urgentMailRules.map({ $0.replacing("_", with: "-") }) {
            used.formUnion(["rule.\(rule)", "why.\(rule)"])
        }
        // Those of notices go to the worker as one table, whose mark this is.
        used.remove("notices")
        used.formUnion(Self.book.keys.filter { $0.hasPrefix("notice.") })
        #expect(used.subtracting(Self.book.keys).sorted() == [], "missing")
        #expect(Self.book.keys.subtracting(used).sorted() == [], "unused")
    }

    @Test("no sentence stands in a template itself", arguments: PageResources.templates.keys.sorted())
    func templates(name: String) throws {
        let words = TemplateWords.standing(in: PageTemplates.text(try #require(PageResources.templates[name])))
        // Names, which are the same everywhere, and an address as an example.
        #expect(words.subtracting(["Google", "ann", "provider", "net"]).sorted() == [])
    }

    @Test("no words of a browser's own error are shown", arguments: ["page.js", "passkeys.js", "notifications.js"])
    func scripts(name: String) throws {
        let file = Repository.file("Sources/Assistant/AssistantPage/Resources/\(name)")
        let script = try String(contentsOf: file, encoding: .utf8)
        #expect(!script.contains("error.message") && !script.contains("new Error("))
    }

    // MARK: In other languages

    private static let german: @Sendable (inout HTTPFields) -> Void = {
        $0[.acceptLanguage] = "de-AT,de;q=0.9,en;q=0.5"
    }

    @Test(
        "a page is in the language that the browser asks for",
        arguments: [
            ("de-CH, en;q=0.8", "de", "Anmelden"), ("fr", "fr", "Connexion"), ("es-419,es", "es", "Iniciar sesión"),
            ("pt, en", "en", "Sign in"), ("", "en", "Sign in"),
        ])
    func browser(header: String, code: String, title: String) async throws {
        let stage = PagesStage()
        let page = try await stage.send(.get, "/sign-in") { $0[.acceptLanguage] = header }.text
        #expect(page.contains("<html lang=\"\(code)\">") && page.contains("<h1>\(title)</h1>"))
        let query = code == "en" ? "" : "?\(code)"
        #expect(page.contains("src=\"/page.js\(query)\"") && page.contains("href=\"/app.webmanifest\(query)\""))
        for file in PageResources.spokenTypes.keys {
            let answer = try await stage.send(.get, "/\(file)\(query)")
            #expect(answer.status == 200 && !answer.text.contains("[["), "\(file)")
        }
    }

    @Test("the language that was chosen in this browser comes before what the browser asks for, until it is taken back")
    func chosen() async throws {
        let stage = PagesStage()
        let session = stage.session()
        let answer = try await stage.send(
            .post, "/settings/language", session, form: ["language": "es"], change: Self.german)
        let cookie = try #require(answer.cookies.first { $0.contains("language=") })
        #expect(answer.status == 303 && cookie.hasPrefix("__Host-assistant-language=es;"))
        let page = try await stage.send(.get, "/settings", session) {
            Self.german(&$0)
            $0[.cookie] = ($0[.cookie] ?? "") + "; " + cookie.prefix { $0 != ";" }
        }.text
        #expect(page.contains("<h1>Ajustes</h1>") && page.contains("value=\"es\" lang=\"es\" selected"))
        let back = try await stage.send(
            .post, "/settings/language", session, form: ["language": ""], change: Self.german)
        #expect(back.cookies.contains { $0.hasPrefix("__Host-assistant-language=;") && $0.contains("Max-Age=0") })
        for code in ["xx", "EN", "../de"] {
            let refused = try await stage.send(.post, "/settings/language", session, form: ["language": code])
            #expect(refused.status == 400 && refused.cookies.isEmpty, "\(code)")
        }
        #expect(stage.api.calls(of: "PUT /v1/preferences").isEmpty)
    }

    @Test("what waits and what was done is told in the language, and what others wrote stays as it is")
    func today() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/confirmations",
            (
                200,
                [
                    "items": [
                        [
                            "id": "c-1", "kind": "STATEMENT", "title": "Ask for the statement of 2026-10 from Meridian",
                            "month": "2026-10", "bank": "Meridian", "created_at": "2026-11-01T08:00:00Z",
                        ]
                    ]
                ]
            ))
        let page = try await stage.send(.get, "/", stage.session(), change: Self.german).text
        #expect(page.contains("Den Kontoauszug anfragen: Meridian, Oktober 2026"))
        #expect(page.contains("15 Minuten vor jedem Termin") && page.contains("22:00 bis 07:00"))
        #expect(page.contains("1. Nov. 2026, 08:00 UTC") && !page.contains("Ask for"))
    }

    @Test("the worker has the sentences of notices in the page's language; in English, as they come, it needs none")
    func notices() async throws {
        let stage = PagesStage()
        #expect(try await stage.send(.get, "/worker.js").text.contains("const sentences = {};"))
        let german = try await stage.send(.get, "/worker.js?de").text
        for pair in [#""Good morning":"Guten Morgen""#, #""Meeting in {{time}}":"Termin in {{time}}""#] {
            #expect(german.contains(pair))
        }
        // The assistant's jobs write them; another word there would come in English.
        let folder = Repository.file("Sources/Assistant/AssistantJobs")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var sources = ""
        for case let file as URL in files where file.pathExtension == "swift" {
            sources += try String(contentsOf: file, encoding: .utf8)
        }
        let texts = Self.book.keys.filter { $0.hasPrefix("notice.") && $0 != "notice.any" }
            .map { Self.book[.english][$0] }.filter { !$0.contains(/^1 |{{/) }
        #expect(texts.count >= 10)
        for text in texts { #expect(sources.contains("\"\(text)\""), "\(text)") }
        for count in ["meeting reminder", "morning brief", "urgent email", "connection", "statement", "question"] {
            #expect(sources.contains("(\"\(count)"))
        }
    }

    @Test("a refusal of the API is told in the language, and its own words stand behind it as English")
    func refusals() async throws {
        let stage = PagesStage()
        stage.api.answer(
            "PUT /v1/preferences",
            (400, ["error_code": "INVALID_FIELD", "error_message": "“time_zone” must be a time zone's name"]))
        let form = ["minutes": "10", "brief": "07:30", "quiet-start": "23:00", "quiet-end": "06:30", "zone": "Mars"]
        let page = try await stage.send(
            .post, "/settings/preferences", stage.session(), form: form, change: Self.german
        ).text
        #expect(
            page.contains(
                "Es wurde nichts gespeichert. Der Assistent hat das abgelehnt. Auf Englisch: “Zeitzone” must be a time zone"
            ))
        stage.api.answer(
            "POST /v1/connectors/google/callback", (400, ["error_code": "CONSENT_DENIED", "error_message": "no"]))
        let denied = try await stage.send(
            .get, "/connections/google/callback?state=s&error=access_denied", stage.session(), change: Self.german)
        #expect(denied.text.contains("Es wurde nichts verbunden.") && denied.text.contains("Das hat nicht geklappt"))
    }

    @Test(
        "the brief tells of consents that end, with what renews them",
        arguments: [
            (
                "en", "Your consent at Meridian ends on 24 December 2026.",
                "Your consent at North ended on 1 November 2026."
            ),
            ("de", "Ihre Einwilligung bei Meridian endet am 24. Dezember 2026.", "endete am 1. November 2026."),
            (
                "fr", "Votre consentement auprès de Meridian prend fin le 24 décembre 2026.",
                "a pris fin le 1er novembre 2026."
            ),
            (
                "es", "Su consentimiento en Meridian termina el 24 de diciembre de 2026.",
                "terminó el 1 de noviembre de 2026."
            ),
        ])
    func consents(language: String, ends: String, ended: String) async throws {
        let stage = PagesStage()
        stage.api.answer(
            "GET /v1/briefs/b-1",
            (
                200,
                [
                    "meetings": [], "free": [], "urgent_mail": [], "statements": [],
                    "consents": [
                        ["bank": "North", "status": "ENDED", "end": "2026-11-01T09:00:00Z"],
                        ["bank": "Meridian", "status": "ENDS", "end": "2026-12-24T23:59:00Z"],
                    ],
                ]
            ))
        let brief =
            try await stage.send(.post, "/briefs/b-1/open", stage.session(), json: [:]) {
                $0[.acceptLanguage] = language
            }.json["html"]?.stringValue ?? ""
        #expect(brief.contains(ends) && brief.contains(ended), "\(brief)")
        #expect(brief.contains(Self.book[try #require(Language(rawValue: language))]["brief.consent-renew"]))
    }

    @Test("a connection's trouble is told in the language, whatever it is")
    func trouble() {
        let missing: [[JSONValue]] = [
            ["calendar.readonly"], ["gmail.readonly"], ["calendar.readonly", "gmail.readonly"],
        ]
        for language in Language.allCases where language != .english {
            PageText.$sentences.withValue(Self.book[language]) {
                var told = missing.compactMap {
                    PageViews.trouble(["status": "ACTIVE", "message": "words", "missing_scopes": .array($0)])
                }
                told += [PageViews.trouble(["status": "NEEDS_RECONNECT", "message": "words"]) ?? ""]
                #expect(Set(told).count == 4 && !told.contains { $0.contains("ords") }, "\(told)")
                #expect(PageViews.trouble(["status": "ACTIVE"]) == nil)
            }
        }
        #expect(PageViews.trouble(["status": "NEEDS_RECONNECT", "message": "words of the API"]) == "Words of the API.")
    }
}
