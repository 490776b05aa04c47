import ApprovalPage
import Encodings
import Phone
import PhoneStore
import Secrets
import Storage
import Synchronization
import TestParties
import Testing

@Suite("A thief of the passphrase makes the second factor", .timeLimit(.minutes(3)))
struct PassphraseMakesPasskeyTests {
    private final class Notices: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
        func add(_ text: String) { all.withLock { $0.append(text) } }
    }

    private static func passkey(_ number: UInt8, _ origin: String) -> SoftPasskey {
        let passkey = SoftPasskey()
        passkey.credentialID = [number, number, number]
        passkey.origin = origin
        return passkey
    }

    /// Asks the page to add a passkey, and returns the status of its answer.
    private static func add(
        _ passkey: SoftPasskey, _ browser: PageBrowser, _ csrf: String, code: String = "",
        confirmedBy known: SoftPasskey? = nil
    ) async throws -> Int {
        let options = try await browser.post("/passkeys/begin", [:], csrf: csrf).json
        var json =
            try passkey.registration(
                options, named: "New", passphrase: known == nil ? TestPhone.passphrase.revealed() : "", code: code
            ).objectValue ?? [:]
        if let known, let confirmation = options["confirmation"] {
            json["confirmation"] = try known.answer(confirmation)
        }
        return try await browser.post("/passkeys", .object(json), csrf: csrf).status
    }

    @Test("the passphrase alone adds no passkey; a code from the terminal adds one, once, with a notice")
    func first() async throws {
        let notices = Notices()
        try await TestPhone.with { phone in
            try await phone.serving(onNotice: { notices.add($0) }) { browser, _ in
                let csrf = try await browser.signIn()
                let mine = Self.passkey(1, browser.origin)
                #expect(try await Self.add(mine, browser, csrf) == 403)
                #expect(try await Self.add(mine, browser, csrf, code: "AAAA-BBBB-CCCC-DDDD") == 403)
                let door = try await PhoneDatabase(phone.home).makeTerminalCode(for: .openPage, lifetime: 60).text
                #expect(try await Self.add(mine, browser, csrf, code: door.revealed()) == 403, "a code has one purpose")
                #expect(try phone.vault.slots().count == 1)
                #expect(notices.texts.isEmpty)

                let code = try await phone.passkeyCode()
                try await PhoneDatabase(phone.home).audit.record(
                    AuditEvent(.passkeyCodeShown, severity: .warning, details: ["to": "add"]))
                #expect(try await !browser.page().contains("Was it you?"), "a code changes nothing")
                #expect(try await Self.add(mine, browser, csrf, code: code) == 200)
                #expect(try phone.vault.slots().count == 2)
                #expect(try await Self.add(Self.passkey(2, browser.origin), browser, csrf, code: code) == 403)
                #expect(notices.texts.count == 1 && notices.texts.first?.contains("“New” was added") == true)
                #expect(try await browser.page().contains("The passkey “New” was added. Was it you?"))
                let audit = try await PhoneDatabase(phone.home).audit.records(AuditFilter(type: "passkey"))
                #expect(audit.map(\.event.type).filter { $0 == "passkey.failed" }.count == 4)
                #expect(audit.last { $0.event.type == "passkey.added" }?.event.severity == .warning)
            }
        }
    }

    @Test("a further passkey needs one of the vault, or again the terminal")
    func further() async throws {
        try await TestPhone.with { phone in
            try await phone.serving { browser, _ in
                let csrf = try await browser.signIn()
                let mine = Self.passkey(1, browser.origin)
                let code = try await phone.passkeyCode()
                #expect(try await Self.add(mine, browser, csrf, code: code) == 200)
                let thief = Self.passkey(2, browser.origin)
                #expect(try await Self.add(thief, browser, csrf) == 403)
                #expect(try await Self.add(thief, browser, csrf, confirmedBy: thief) == 403)
                #expect(try phone.vault.slots().count == 2)
                #expect(try await Self.add(Self.passkey(3, browser.origin), browser, csrf, confirmedBy: mine) == 200)
                #expect(try phone.vault.slots().count == 3)
            }
        }
    }
}
