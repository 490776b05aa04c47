import Automation
import BankScript
import Messages
import Phone
import PhoneStore
import Secrets
import Storage
import Synchronization
import TestParties
import Testing

@Suite("A wrong password, approved again and again", .timeLimit(.minutes(4)))
struct WrongPasswordAgainTests {
    /// Runs `body` with a phone whose stored password the bank refuses.
    private func withRefusingBank(
        _ body: @escaping @Sendable (TestPhone, CountingBank, PhoneRunner) async throws -> Void
    ) async throws {
        let bank = CountingBank(.refuses)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                try await body(phone, bank, try phone.runner(.countingBank(at: origin)))
            }
        }
    }

    @Test("a refused password is not sent again by the next approval")
    func nextApproval() async throws {
        try await withRefusingBank { phone, bank, runner in
            let requests = try await phone.requests(4, to: runner)
            #expect(try await runner.approve(requests[0], with: phone.verification).code == "BANK_LOGIN_FAILED")
            for request in requests.dropFirst() {
                await #expect(throws: PhoneError.self) { try await runner.approve(request, with: phone.verification) }
            }
            #expect(bank.count() == 1, "four approvals sent the password \(bank.count()) times")
            let shown = try await runner.pending()
            #expect(shown.count == 3)
            #expect(shown.allSatisfy { $0.hold?.reason == .wrongCredentials })
            #expect(shown.first?.hold?.words.contains("can lock the account") == true)
            let audited = try await runner.store.audit.records(AuditFilter(type: "hold"))
            #expect(audited.map(\.event.severity) == [.critical])
        }
    }

    @Test("requests that were approved before the first run ended do not send it again either")
    func approvedBefore() async throws {
        try await withRefusingBank { phone, bank, runner in
            var runs: [ApprovedRun] = []
            for request in try await phone.requests(3, to: runner) {
                guard case .run(let run) = try await runner.accept(request, with: [phone.verification]) else {
                    continue
                }
                runs.append(run)
            }
            var codes: [String?] = []
            for run in runs { codes.append(await runner.perform(run).code) }
            #expect(codes == ["BANK_LOGIN_FAILED", "BANK_ON_HOLD", "BANK_ON_HOLD"])
            #expect(bank.count() == 1, "three approvals sent the password \(bank.count()) times")
            let reported = await phone.broker.posts.filter { $0.path.hasSuffix("failure") }
            #expect(reported.map { $0.body["error_code"] } == ["BANK_LOGIN_FAILED", "BANK_ON_HOLD", "BANK_ON_HOLD"])
        }
    }

    @Test("a broker that does not know BANK_ON_HOLD hears BANK_LOGIN_FAILED")
    func earlierBroker() async throws {
        try await withRefusingBank { phone, _, runner in
            await phone.broker.answer("failure", with: [.ok, .badRequest])
            var runs: [ApprovedRun] = []
            for request in try await phone.requests(2, to: runner) {
                guard case .run(let run) = try await runner.accept(request, with: [phone.verification]) else {
                    continue
                }
                runs.append(run)
            }
            for run in runs { _ = await runner.perform(run) }
            let codes = await phone.broker.posts.filter { $0.path.hasSuffix("failure") }.map { $0.body["error_code"] }
            #expect(codes == ["BANK_LOGIN_FAILED", "BANK_ON_HOLD", "BANK_LOGIN_FAILED"])
        }
    }

    @Test("a locked password manager is not the bank's refusal: no hold, its own code, and its own words")
    func lockedPasswordManager() async throws {
        try await withRefusingBank { phone, bank, runner in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            let locked = try CredentialProgram(["/bin/sh", "-c", "exit 1"])
            try await CredentialVault(secrets, store: runner.store).set(locked, for: "password", ofBank: "default")
            secrets.close()
            // The second report goes to a broker of an earlier version.
            await phone.broker.answer("failure", with: [.ok, .badRequest])
            for request in try await phone.requests(2, to: runner) {
                let outcome = try await runner.approve(request, with: phone.verification)
                guard case .failed(let code, let message) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                #expect(code == "CREDENTIAL_UNAVAILABLE")
                #expect(message.hasPrefix("your password manager may be locked: "), "\(message)")
            }
            #expect(bank.count() == 0)
            #expect(try await runner.store.hold(onBank: "default") == nil)
            let codes = await phone.broker.posts.filter { $0.path.hasSuffix("failure") }.map { $0.body["error_code"] }
            #expect(codes == ["CREDENTIAL_UNAVAILABLE", "CREDENTIAL_UNAVAILABLE", "BANK_LOGIN_FAILED"])
        }
    }

    @Test(
        "a locked password manager after a password was sent leaves the sign-in in doubt: the next approval does not send it",
        arguments: [CountingBank.Login.refusesCodes, .rejects(401)])
    func lockedAfterPassword(login: CountingBank.Login) async throws {
        let bank = CountingBank(login)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let runner = try phone.runner(.countingBankWithPIN(at: origin))
                let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
                let locked = try CredentialProgram(["/bin/sh", "-c", "exit 1"])
                try await CredentialVault(secrets, store: runner.store).set(locked, for: "pin", ofBank: "default")
                secrets.close()
                let requests = try await phone.requests(2, to: runner)
                let outcome = try await runner.approve(requests[0], with: phone.verification)
                #expect(outcome.code == "BANK_LOGIN_FAILED", "\(outcome)")
                #expect(try await runner.store.hold(onBank: "default") != nil)
                await #expect(throws: PhoneError.self) {
                    try await runner.approve(requests[1], with: phone.verification)
                }
                #expect(bank.count() == 1)
            }
        }
    }

    @Test("a separate confirmation is good for one more try, not for two")
    func confirmedOnce() async throws {
        try await withRefusingBank { phone, bank, runner in
            _ = try await runner.approve(try await phone.requests(1, to: runner)[0], with: phone.verification)
            let held = try await phone.requests(2, to: runner)
            let again = try await runner.approve(held[0], with: phone.verification, tryingAgain: true)
            #expect(again.code == "BANK_LOGIN_FAILED")
            // The person confirmed against the first refusal, and the bank has refused once more since.
            await #expect(throws: PhoneError.self) {
                try await runner.approve(held[1], with: phone.verification, tryingAgain: true)
            }
            #expect(bank.count() == 2)
        }
    }

    @Test("the hold ends with other credentials, and not with the same ones typed again")
    func otherCredentials() async throws {
        let bank = CountingBank(.refuses)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let script = BankScript.countingBank(at: origin)
                do {
                    let runner = try phone.runner(script)
                    _ = try await runner.approve(try await phone.requests(1, to: runner)[0], with: phone.verification)
                }
                try await phone.setup().apply(passphrase: TestPhone.passphrase)
                do {
                    let runner = try phone.runner(script)
                    #expect(try await phone.requests(1, to: runner).allSatisfy { $0.hold != nil })
                }
                let other = ["username": Secret("ada.lovelace"), "password": Secret("difference engine")]
                try await PhoneSetup(
                    home: phone.home, connection: try phone.connection(), bankID: "default", credentials: other
                ).apply(passphrase: TestPhone.passphrase)
                let runner = try phone.runner(script)
                let pending = try await phone.requests(1, to: runner)
                #expect(pending.allSatisfy { $0.hold == nil })
                _ = try await runner.approve(pending[0], with: phone.verification)
                #expect(bank.count() == 1)
                #expect(bank.count(of: "difference engine") == 1)
            }
        }
    }

    @Test("a second wrong code in a row puts the bank on hold")
    func wrongCodes() async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let runner = try phone.runner(.countingBankWithCode(at: origin))
                let requests = try await phone.requests(3, to: runner)
                #expect(try await runner.approve(requests[0], with: phone.verification).code == "BANK_LOGIN_FAILED")
                #expect(try await runner.pending().allSatisfy { $0.hold == nil })
                #expect(try await runner.approve(requests[1], with: phone.verification).code == "BANK_LOGIN_FAILED")
                await #expect(throws: PhoneError.self) {
                    try await runner.approve(requests[2], with: phone.verification)
                }
                #expect(bank.count(of: "123456") == 2)
            }
        }
    }

    @Test(
        "two wrong codes put the bank on hold, whatever ends the run",
        arguments: [
            (["wrong-code-21", "wrong-code-22"], 3, "BANK_2FA_TIMEOUT", 2),
            (["wrong-code-21", "wrong-code-22", "wrong-code-23"], 3, "PDF_DOWNLOAD_FAILED", 3),
        ])
    func wrongCodesInOneRun(_ codes: [String], tries: Int, code: String, sent: Int) async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let script = BankScript.countingBankWithCode(at: origin, tries: tries, looksForNotice: false)
                let runner = try phone.runner(script, person: ForgetfulPerson(codes))
                let requests = try await phone.requests(2, to: runner)
                #expect(try await runner.approve(requests[0], with: phone.verification).code == code)
                #expect(bank.count(of: "wrong-code") == sent)
                #expect(try await runner.pending().allSatisfy { $0.hold?.reason == .wrongCode })
                await #expect(throws: PhoneError.self) {
                    try await runner.approve(requests[1], with: phone.verification)
                }
            }
        }
    }

    @Test("the codes of an earlier run count: no fourth one in a row is sent")
    func wrongCodesOverTwoRuns() async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let script = BankScript.countingBankWithCode(at: origin, tries: 3)
                let codes = ["wrong-code-31", "", "wrong-code-32", "wrong-code-33", "wrong-code-34"]
                let runner = try phone.runner(script, person: ForgetfulPerson(codes))
                let requests = try await phone.requests(3, to: runner)
                #expect(try await runner.approve(requests[0], with: phone.verification).code == "BANK_2FA_TIMEOUT")
                #expect(try await runner.pending().allSatisfy { $0.hold == nil })
                #expect(try await runner.approve(requests[1], with: phone.verification).code == "BANK_LOGIN_FAILED")
                #expect(bank.count(of: "wrong-code") == 3)
                let held = try #require(try await runner.pending().first)
                #expect(held.hold?.reason == .wrongCode)
                // The owner's confirmation is good for one code.
                _ = try await runner.approve(held, with: phone.verification, tryingAgain: true)
                #expect(bank.count(of: "wrong-code") == 4)
            }
        }
    }

    @Test("a visit of several months without a document does not show that the bank accepted a code")
    func wrongCodesAndSeveralMonths() async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let runner = try phone.runner(.countingBankWithCodeForMonths(at: origin))
                for isHeld in [false, true] {
                    let request = try #require(try await phone.requestForTwoMonths(to: runner))
                    #expect(
                        try await runner.approve(request, with: phone.verification).code == "PDF_DOWNLOAD_FAILED")
                    let next = try #require(try await phone.requestForTwoMonths(to: runner))
                    #expect((next.hold?.reason == .wrongCode) == isHeld, "\(String(describing: next.hold))")
                }
                #expect(bank.count(of: "123456") == 2)
            }
        }
    }

    /// A person who types some codes and then answers no more.
    private final class ForgetfulPerson: HumanPrompt {
        private let codes: Mutex<[String]>

        init(_ codes: [String]) {
            self.codes = Mutex(codes)
        }

        func answer(_ prompt: Prompt) async throws -> Secret {
            Secret(codes.withLock { $0.isEmpty ? "" : $0.removeFirst() })
        }
    }
}
