import Authenticator
import Automation
import BankScript
import Clocks
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage
import Synchronization
import TestParties
import Testing

@testable import Phone

/// A clock on which waiting takes no time.
private final class JumpingClock: RunClock {
    private let state = Mutex((now: Date(timeIntervalSince1970: 1_800_000_000), slept: 0.0))

    var now: Date { state.withLock { $0.now } }
    var slept: Double { state.withLock { $0.slept } }

    func sleep(for duration: Duration) async throws {
        state.withLock {
            $0.now.addTimeInterval(duration.seconds)
            $0.slept += duration.seconds
        }
    }

    func set(_ time: TimeInterval) { state.withLock { $0.now = Date(timeIntervalSince1970: time) } }
}

/// A provider that answers when the vault does not.
private struct Fallback: SecondFactorProvider {
    func code(for challenge: SecondFactorChallenge) async throws -> Secret? { Secret("asked elsewhere") }
}

private func aToken(_ issuer: String = "Meridian Savings", period: Int = 30) throws -> Token {
    try Token(
        issuer: issuer, account: "robin", secret: Secret("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"), period: period,
        createdAt: Date(timeIntervalSince1970: 1_790_000_000))
}

/// An open vault with tokens, and the provider that answers from it.
private struct TokenAnswers {
    let phone: TestPhone
    let secrets: VaultSecretStore
    let store: PhoneDatabase
    let clock = JumpingClock()

    init(_ phone: TestPhone, _ tokens: Token...) async throws {
        self.phone = phone
        secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
        store = try PhoneDatabase(phone.home)
        try await phone.home.tokens(secrets).change { vault in for token in tokens { try vault.add(token) } }
    }

    var links: TokenLinks { TokenLinks(secrets, store: store) }

    /// Returns the code that the bank receives; nil if the person has to be asked.
    func answer(token: String? = nil, within seconds: TimeInterval = 120, bank: String = "default") async throws
        -> String?
    {
        let provider = LinkedTokenProvider(
            links: links, tokens: try await phone.home.tokens(secrets), clock: clock, otherwise: Fallback())
        return try await provider.code(
            for: SecondFactorChallenge(
                bankID: bank, bankName: "Meridian Savings", token: token,
                deadline: clock.now.addingTimeInterval(seconds)))?.revealed()
    }

    func code(_ token: Token, at time: TimeInterval) -> String {
        token.code(at: Date(timeIntervalSince1970: time)).digits.revealed()
    }
}

@Suite("A bank's question for a code")
struct LinkedTokenTests {
    /// The beginning of a period.
    private static let begin: TimeInterval = 1_800_000_000

    @Test("is answered only by the linked token")
    func answered() async throws {
        try await TestPhone.with { phone in
            let (token, other) = (try aToken(), try aToken("Other"))
            let answers = try await TokenAnswers(phone, token, other)
            #expect(try await answers.answer() == "asked elsewhere")
            try await answers.links.link(token, toBank: "default")
            #expect(try await answers.answer() == answers.code(token, at: Self.begin))
            #expect(answers.clock.slept == 0)
            #expect(try await answers.answer(bank: "another") == "asked elsewhere")
            try await answers.links.unlink(bank: "default")
            #expect(try await answers.answer() == "asked elsewhere")
        }
    }

    @Test("is left to the person when the script names another token")
    func named() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            #expect(try await answers.answer(token: "meridian savings") == answers.code(token, at: Self.begin))
            #expect(try await answers.answer(token: "Some other bank") == "asked elsewhere")
            answers.clock.set(Self.begin + 60)
            #expect(try await answers.answer(token: "ROBIN") == answers.code(token, at: Self.begin + 60))
        }
    }

    @Test("is left to the person when the linked token was deleted, or the tokens cannot be read")
    func gone() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            let file = phone.home.tokenFolder.appending(path: "vault.totp")
            let whole = try Data(contentsOf: file)
            var bytes = whole
            bytes[30] ^= 1
            try bytes.write(to: file)
            #expect(try await answers.answer() == "asked elsewhere")
            #expect(try Data(contentsOf: file) == bytes)
            try whole.write(to: file)
            try await phone.home.tokens(answers.secrets).change { try $0.delete(token.id) }
            #expect(try await answers.answer() == "asked elsewhere")
        }
    }

    @Test("waits for the next code when this one has less than three seconds left", arguments: [27.5, 29.9])
    func nearlyOver(_ second: Double) async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            answers.clock.set(Self.begin + second)
            #expect(try await answers.answer() == answers.code(token, at: Self.begin + 30))
            #expect(answers.clock.now.timeIntervalSince1970 >= Self.begin + 30 && answers.clock.slept < 3)
        }
    }

    @Test("with exactly three seconds left the code is sent")
    func threeSeconds() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            answers.clock.set(Self.begin + 27)
            #expect(try await answers.answer() == answers.code(token, at: Self.begin))
        }
    }

    @Test("never gets a code twice, even after a restart")
    func once() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            #expect(try await answers.answer() == answers.code(token, at: Self.begin))
            answers.secrets.close()
            let again = try await TokenAnswers(phone)
            #expect(try await again.answer() == again.code(token, at: Self.begin + 30))
            #expect(again.clock.slept > 29)
            #expect(try await again.answer() == again.code(token, at: Self.begin + 60))
            again.clock.set(Self.begin - 3600)
            #expect(try await again.answer(within: 120) == nil, "a clock set back brings no code again")
        }
    }

    @Test("goes to the person when no code comes before the bank stops waiting")
    func tooLate() async throws {
        try await TestPhone.with { phone in
            let token = try aToken(period: 300)
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            #expect(try await answers.answer() != nil)
            #expect(try await answers.answer(within: 120) == nil)
            #expect(answers.clock.slept == 0)
        }
    }

    @Test("the request says that the vault will answer, if the script allows it")
    func shown() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            let asking = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
                Open("/login")
                SecondFactor("Code", within: .seconds(60))
                Download("PDF")
            }
            await phone.broker.offer([try phone.envelope()])
            for (script, isAnswered) in [(TestPhone.script, false), (asking, true)] {
                var services = phone.services()
                services.scripts = ScriptRegistry([script])
                let runner = try PhoneRunner(
                    home: phone.home, connection: try phone.connection(), services: services)
                let request = try #require(try await runner.refresh().pending.first)
                #expect((request.answeringToken?.issuer == "Meridian Savings") == isAnswered)
            }
        }
    }

    @Test("the audit log records a link and its removal, without a secret")
    func audited() async throws {
        try await TestPhone.with { phone in
            let token = try aToken()
            let answers = try await TokenAnswers(phone, token)
            try await answers.links.link(token, toBank: "default")
            try await answers.links.unlink(token: token.id)
            let records = try await answers.store.audit.records(AuditFilter(limit: 10))
            #expect(records.map(\.event.type).contains("totp.linked"))
            #expect(records.map(\.event.type).contains("totp.unlinked"))
            #expect(!records.map { $0.json.compactText() }.joined().contains("JBSWY3DP"))
        }
    }
}
