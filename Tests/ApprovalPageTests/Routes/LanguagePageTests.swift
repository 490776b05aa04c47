import CurlClient
import Foundation
import Languages
import Messages
import TestParties
import Testing

@testable import ApprovalPage

@Suite("The language of the approval page", .timeLimit(.minutes(3)))
struct LanguagePageTests {
    @Test("is the browser's, until the owner chooses one, which holds for every browser and after a restart")
    func choice() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                let csrf = try await browser.signIn()
                var german = browser
                german.invented = [HTTPHeader("Accept-Language", "de-AT,de;q=0.9,en;q=0.1")]
                #expect(try await browser.page().contains("<html lang=\"en\">"))
                let page = try await german.page()
                #expect(page.contains("<html lang=\"de\">") && page.contains("<h1>Eingang</h1>"))
                #expect(page.contains("<script src=\"/page.js?de\" defer>"))
                #expect(try await german.get("/").header("Content-Language") == "de")

                for (language, status) in [("xx", 400), ("fr", 303)] {
                    let form = ["csrf": csrf, "language": language]
                    #expect(try await browser.post("/settings/language", form: form).status == status, "\(language)")
                }
                #expect(try await browser.post("/settings/language", form: ["language": "de"]).status == 403)
                for each in [browser, german] {
                    let page = try await each.page("/settings")
                    #expect(page.contains("<html lang=\"fr\">") && page.contains("<h1>Réglages</h1>"))
                    #expect(page.contains("<option value=\"fr\" lang=\"fr\" selected>Français</option>"))
                }
                #expect(try await server.state.store.language() == "fr", "a restart reads it")
                try await server.state.recallLanguage()
                #expect(await server.state.language == .french)
                let form = ["csrf": csrf, "language": ""]
                #expect(try await browser.post("/settings/language", form: form).status == 303)
                #expect(try await german.page().contains("<h1>Eingang</h1>"))
                withExtendedLifetime(server) {}
            }
        }
    }

    @Test("a card says in German what leaves and what is approved; the agent's words stay, marked as a stranger's")
    func card() async throws {
        try await TestPhone.with { phone in
            let id = RequestID()
            await phone.broker.offer([try phone.envelope(id: id, reason: AgentReason("For the <tax> return"))])
            try await phone.serving { browser, server in
                _ = try await browser.signIn()
                try await server.state.choose(language: "de")
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let page = try await browser.page()
                for words in [
                    "<strong>Januar 2026 freigeben</strong>", "Kontoauszug · Meridian Savings",
                    "Benutzername, Passwort", "Das Dokument geht in den Ordner ", "Ablehnen",
                    "Die eigenen Worte des Agenten, nicht geprüft: <q lang=\"\" dir=\"auto\">For the &lt;tax&gt; return</q>",
                ] { #expect(page.contains(words), "\(words)") }
                #expect(!page.contains("Approve") && !page.contains("password, "))
                #expect(!page.contains("[["))
            }
        }
    }

    @Test(
        "a card says where one document goes, and where several go",
        arguments: [
            ("en", 1, "The document goes to"), ("en", 2, "The documents go to"), ("de", 2, "Die Dokumente gehen in"),
            ("fr", 2, "Les documents vont dans"), ("es", 2, "Los documentos van a"),
        ])
    func destination(language: String, count: Int, words: String) async throws {
        try await TestPhone.with { phone in
            let id = try await phone.offered(months: count)
            try await phone.serving(services: phone.services(TestPhone.severalMonths)) { browser, server in
                _ = try await browser.signIn()
                try await server.state.choose(language: language)
                try await phone.until(server) { try await browser.page().contains(id.short) }
                let page = try await browser.page()
                #expect(page.contains(words), "\(page)")
            }
        }
    }

    @Test("what is refused is said in the language, in the page and to its script")
    func refusals() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, server in
                try await server.state.choose(language: "es")
                let wrong = try await browser.signIn(passphrase: "no passphrase of this phone")
                #expect(wrong.status == 403)
                #expect(
                    String(decoding: wrong.body, as: UTF8.self).contains(
                        "La frase de contraseña es incorrecta. Inténtelo de nuevo."))
                _ = try await browser.signIn(passphrase: TestPhone.passphrase.revealed())
                #expect(try await browser.page("/nowhere").contains("<h1>No encontrado</h1>"))
                let answer = try await browser.post("/notifications", [:], csrf: "guess")
                #expect(answer.json["error_message"]?.stringValue?.hasPrefix("La página estaba desactualizada") == true)
            }
        }
    }

    @Test("the script, the worker and the page without a connection come in the language of their address")
    func files() async throws {
        try await TestPhone.with { phone in
            try await phone.opening(TestPhone.pageConfiguration) { opened, _ in
                let browser = PageBrowser(opened.origin)
                for (path, words) in [
                    ("/page.js", "The connection is lost"), ("/page.js?de", "Die Verbindung ist unterbrochen"),
                    ("/page.js?xx", "The connection is lost"), ("/worker.js?fr", "Une demande attend"),
                    ("/worker.js?fr", "/offline.html?fr"), ("/offline.html?es", "<html lang=\"es\">"),
                    ("/offline.html", "No connection"),
                ] {
                    let answer = try await browser.session.send(HTTPRequest("GET", opened.origin + path))
                    #expect(answer.status == 200)
                    #expect(String(decoding: answer.body, as: UTF8.self).contains(words), "\(path)")
                }
                let door = PageBrowser(opened.origin)
                var french = door
                french.invented = [HTTPHeader("Accept-Language", "fr")]
                #expect(try await french.page().contains("<h1>Ouvrir la page</h1>"))
            }
        }
    }
}
