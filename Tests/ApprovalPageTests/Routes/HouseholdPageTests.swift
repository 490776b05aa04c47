import CurlClient
import Foundation
import PhoneStore
import Storage
import TestParties
import Testing

@testable import ApprovalPage
@testable import Phone

@Suite("The settings of a household on the approval page", .timeLimit(.minutes(3)))
struct HouseholdPageTests {
    private static let unchanged = [
        "statements": "/home/robin/Statements", "template": "{{ bank }}/{{ period }}", "contact": "", "paperless": "",
        "token": "", "webhook": "", "key": "", "program": "", "was-statements": "/home/robin/Statements",
        "was-template": "{{ bank }}/{{ period }}", "was-contact": "", "was-paperless": "", "was-program": "",
    ]

    /// Runs a phone of a household, and a browser that is signed in.
    private static func with(
        _ household: FakeHousehold = FakeHousehold([
            .statements: "/home/robin/Statements", .template: "{{ bank }}/{{ period }}",
        ]),
        _ body: @escaping @Sendable (TestPhone, PageBrowser, _ post: Post) async throws -> Void
    ) async throws {
        try await TestPhone.with { phone in
            var configuration = TestPhone.pageConfiguration
            configuration.household = household
            try await phone.serving(configuration) { browser, _ in
                let csrf = try await browser.signIn()
                try await body(phone, browser) { changed, passphrase in
                    let form = unchanged.merging(changed) { $1 }.merging(["csrf": csrf, "passphrase": passphrase]) {
                        $1
                    }
                    let answer = try await browser.post("/household", form: form)
                    return (answer.status, String(decoding: answer.body, as: UTF8.self), answer)
                }
            }
        }
    }

    private typealias Post =
        @Sendable (_ changed: [String: String], _ passphrase: String) async throws -> (
            Int, String, answer: HTTPResponse
        )

    private static let passphrase = TestPhone.passphrase.revealed()

    @Test("are changed after the passphrase, each on its own, and are in the audit log")
    func changed() async throws {
        let household = FakeHousehold([
            .statements: "/home/robin/Statements", .template: "{{ bank }}/{{ period }}",
        ])
        try await Self.with(household) { phone, browser, post in
            #expect(try await browser.page("/settings").contains("\(browser.base)/household\">Statements and services"))
            let form = try await browser.page("/household")
            #expect(form.contains(#"value="/home/robin/Statements""#) && form.contains("{{ bank }}/{{ period }}"))
            #expect(!form.contains("Kept."), "nothing was changed yet")
            let changed = [
                "statements": "", "contact": "robin@provider.net", "paperless": "https://papers.example",
                "token": "a-token-of-paperless",
            ]
            let answer = try await post(changed, Self.passphrase).answer
            let told = try ToldPlace(answer, in: browser)
            #expect(answer.status == 303 && told.path == "/household?changed=\(told.number)")
            let change = try #require(household.changes.first)
            #expect(change.values == [.contact: "mailto:robin@provider.net", .paperless: "https://papers.example"])
            #expect(change.unset == [.statements])
            #expect(change.credentials[.paperlessToken]?.revealed() == "a-token-of-paperless")
            #expect(change.credentials.count == 1)
            let records = try await PhoneDatabase(phone.home).audit.records(AuditFilter(type: "settings.changed"))
            #expect(
                records.map { $0.event.details["settings"]?.stringValue } == [
                    "BROKER_ARCHIVE_PATH, PAPERLESS_TOKEN, PAPERLESS_URL, VAPID_SUBJECT"
                ])
            let kept = try await browser.page(told.path)
            #expect(kept.contains("Kept. A broker that runs takes it") && kept.contains(#"value="robin@provider.net""#))
            let other = try await browser.page("/household?changed=\(told.number + 1)")
            #expect(!other.contains("Kept."), "the address alone says nothing")
            #expect(kept.contains("A value is stored.") && !kept.contains("a-token-of-paperless"))
            #expect(
                try await browser.page("/settings").contains("Notify this browser"), "the page announces from now on")
        }
    }

    @Test("stay as they are after a wrong passphrase and a refusal, and what was typed stays in the fields")
    func refused() async throws {
        let household = FakeHousehold([
            .statements: "/home/robin/Statements", .template: "{{ bank }}/{{ period }}",
        ])
        try await Self.with(household) { _, browser, post in
            let wrong = try await post(["program": "/usr/local/bin/print"], "a wrong passphrase")
            #expect(wrong.0 == 403 && wrong.1.contains(#"value="/usr/local/bin/print""#), "\(wrong.1)")
            household.refuse("BROKER_ON_DOCUMENT is <b>/usr/local/bin/print</b>, which is not a program")
            let refused = try await post(
                ["program": "/usr/local/bin/print", "token": "a-token-of-paperless"], Self.passphrase)
            #expect(refused.0 == 409 && refused.1.contains("Nothing was changed. BROKER_ON_DOCUMENT is &lt;b&gt;"))
            #expect(refused.1.contains(#"value="/usr/local/bin/print""#) && !refused.1.contains("a-token-of-paperless"))
            #expect(household.changes.isEmpty)
            #expect(try await browser.post("/household", form: Self.unchanged).status == 403, "without a token")
        }
    }

    @Test("a service that is ended takes its credentials with it; nothing typed changes nothing")
    func ended() async throws {
        let household = FakeHousehold(
            [
                .statements: "/home/robin/Statements", .template: "{{ bank }}/{{ period }}",
                .paperless: "https://papers.example",
            ], credentials: [.paperlessToken, .webhook, .webhookKey])
        try await Self.with(household) { _, browser, post in
            let shown = ["paperless": "https://papers.example", "was-paperless": "https://papers.example"]
            let same = try await post(shown, Self.passphrase)
            #expect(same.0 == 303 && household.changes.isEmpty)
            let both = try await post(shown.merging(["end-webhook": "on", "key": "whsec_x"]) { $1 }, Self.passphrase)
            #expect(both.0 == 409 && both.1.contains("do one of the two") && household.changes.isEmpty)
            let ended = try await post(shown.merging(["end-webhook": "on"]) { $1 }, Self.passphrase)
            #expect(ended.0 == 303 && household.changes.last?.unset == [.webhook, .webhookKey])
            let emptied = try await post(["was-paperless": "https://papers.example"], Self.passphrase)
            #expect(emptied.0 == 303 && household.changes.last?.unset == [.paperless, .paperlessToken])
            #expect(try await !browser.page("/household").contains("end-webhook"))
        }
    }

    @Test("a form that was open for long changes what its owner has touched, and nothing that was changed elsewhere")
    func stale() async throws {
        let household = FakeHousehold([
            .statements: "/home/robin/NewStatements", .template: "{{ bank }}/{{ period }}",
        ])
        try await Self.with(household) { _, _, post in
            let kept = try await post(["contact": "robin@provider.net"], Self.passphrase)
            #expect(kept.0 == 303 && household.changes.last?.values == [.contact: "mailto:robin@provider.net"])
            let part = try await post(["statements": "Statements"], Self.passphrase)
            #expect(part.0 == 409 && part.1.contains("Write a path from the beginning"))
        }
    }

    @Test("a path that was pasted within quotes is meant without them, and no other value")
    func quoted() async throws {
        let household = FakeHousehold([:])
        try await Self.with(household) { _, _, post in
            for (typed, meant) in [
                (#""/home/robin/My Docs""#, "/home/robin/My Docs"), ("'/home/robin/Docs'", "/home/robin/Docs"),
                (" '~/Docs' ", "~/Docs"), ("/home/robin/a'", "/home/robin/a'"),
            ] {
                let taken = try await post(["statements": typed], Self.passphrase).0
                #expect(taken == 303)
                #expect(household.changes.last?.values == [.statements: meant])
            }
            for typed in ["\"/home/robin/Docs'", "''/home/robin/Docs''", "'", "'Docs'"] {
                let refused = try await post(["statements": typed], Self.passphrase).0
                #expect(refused == 409, "\(typed)")
            }
            let emptied = try await post(["statements": "''"], Self.passphrase).0
            #expect(emptied == 303)
            #expect(household.changes.last?.unset == [.statements], "nothing stands within them")
            let kept = try await post(["template": "'{{ bank }}'"], Self.passphrase).0
            #expect(kept == 303)
            #expect(household.changes.last?.values == [.template: "'{{ bank }}'"])
        }
    }

    @Test("of a broker on another machine are not here, and a phone by itself has none")
    func elsewhere() async throws {
        try await Self.with(FakeHousehold(hasBroker: false)) { _, browser, _ in
            let form = try await browser.page("/household")
            #expect(form.contains("Your mail address") && !form.contains("paperless"))
        }
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                _ = try await browser.signIn()
                #expect(try await !browser.page("/settings").contains("/household"))
                #expect(try await browser.get("/household").status == 404)
            }
        }
    }
}
