import Automation
import BankScript
import Clocks
import Foundation
import HTMLAutomation
import Messages
import Phone
import Secrets
import TestCases
import TestParties
import Testing

@Suite("One run that sends the same password many times", .timeLimit(.minutes(4)))
struct RepeatedSubmissionTests {
    private static let login = ["username": "ada.lovelace", "password": CountingBank.password]

    /// Runs a script against a bank, and returns its failure.
    private func failure(of script: BankScript) async throws -> RunFailure {
        let services = HostServices(
            credentials: TestCredentials(values: Self.login), person: TestPerson(code: "123456"),
            downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services, limit: .seconds(30)) { try HTMLNavigationEngine(for: $0) }
        do {
            _ = try await runner.run(script, parameters: ["month": 1, "year": 2026])
        } catch {
            return error
        }
        throw CancellationError()
    }

    @Test("polling with the password in its body sends it once")
    func polling() async throws {
        let bank = CountingBank(.refuses)
        try await bank.serve { origin in
            let poll = RequestStep(
                method: "POST", reference: "/api/poll",
                body: .object(["user": .value(.credential("username")), "password": .value(.credential("password"))]))
            let failure = try await failure(
                of: BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
                    WaitUntil(
                        .json("$.ok", is: "1"), polling: poll, every: .milliseconds(1), within: .seconds(3))
                    Download("PDF")
                })
            #expect(failure.code == .bankLoginFailed)
            #expect(failure.reason == .attemptsUsed)
            #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
        }
    }

    /// The obvious way to write "sign in again when the session has ended".
    private func scriptWithInterruption(at origin: String, attempts: Int = 1) -> BankScript {
        BankScript(
            "default", named: "Counting Bank", at: origin, isForTesting: true, attempts: attempts,
            interruptions: [
                Interruption(when: .shows(.field("Password"))) {
                    Fill("Username", with: .username)
                    Fill("Password", with: .password)
                    Press("Sign in")
                }
            ]
        ) {
            Open("/login")
            Download("PDF")
        }
    }

    @Test("an interruption that signs in again sends the password once, or as often as the script declares")
    func interruption() async throws {
        for attempts in 1...2 {
            let bank = CountingBank(.asksAgain)
            try await bank.serve { origin in
                let failure = try await failure(of: scriptWithInterruption(at: origin, attempts: attempts))
                #expect(failure.code == .bankLoginFailed)
                #expect(failure.reason == .attemptsUsed)
                #expect(bank.count() == attempts, "the password was sent \(bank.count()) times")
            }
        }
    }

    @Test("a redirect does not make the engine send the password again", arguments: [false, true])
    func redirect(isGrowing: Bool) async throws {
        let bank = CountingBank(.repeatsBody(growing: isGrowing))
        try await bank.serve { origin in
            let failure = try await failure(of: .countingBank(at: origin))
            #expect(failure.code == .bankLoginFailed)
            #expect(failure.reason == .attemptsUsed)
            #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
        }
    }

    @Test("a redirect to itself ends at once even where the script may send the password twice")
    func redirectToItself() async throws {
        let bank = CountingBank(.repeatsBody(growing: false))
        try await bank.serve { origin in
            var script = BankScript.countingBank(at: origin)
            script.attempts = 2
            let failure = try await failure(of: script)
            #expect(failure.message.contains("not sent twice"))
            #expect(bank.count() == 1)
        }
    }

    @Test("a page that stays open as it was filled in does not send the password again")
    func noContent() async throws {
        let bank = CountingBank(.answersNothing)
        try await bank.serve { origin in
            _ = try await failure(
                of: BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
                    Open("/login")
                    Fill("Username", with: .username)
                    Fill("Password", with: .password)
                    for _ in 0..<4 { Press("Sign in") }
                    Download("PDF")
                })
            #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
        }
    }

    @Test("a code is sent once")
    func codes() async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            let failure = try await failure(
                of: BankScript(
                    "default", named: "Counting Bank", at: origin, isForTesting: true,
                    interruptions: [
                        Interruption(when: .shows(.field("Code"))) {
                            SecondFactor("Code", from: .person, within: .seconds(20))
                        }
                    ]
                ) {
                    Open("/login")
                    Fill("Username", with: .username)
                    Fill("Password", with: .password)
                    Press("Sign in")
                    Download("PDF")
                })
            #expect(failure.reason == .attemptsUsed)
            #expect(bank.count(of: "123456") == 1)
        }
    }

    @Test("four approvals of a script that signs in again and again reach the bank with one sign-in")
    func lockout() async throws {
        let bank = CountingBank(.asksAgain)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let runner = try phone.runner(scriptWithInterruption(at: origin))
                for request in try await phone.requests(4, to: runner) {
                    _ = try? await runner.approve(request, with: phone.verification)
                }
                #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
                #expect(bank.signIns == 1)
            }
        }
    }

    @Test("lint names each way to repeat a password")
    func lint() {
        let poll = RequestStep(
            method: "POST", reference: "/poll", body: .object(["p": .value(.credential("password"))]))
        let script = BankScript(
            "default", named: "Bank", at: "https://bank.example",
            interruptions: [
                Interruption(when: .shows(.field("Password"))) {
                    Fill("Password", with: .password)
                    Press("Sign in")
                }
            ]
        ) {
            WaitUntil(.json("$.ok", is: "1"), polling: poll, every: .milliseconds(499), within: .seconds(3))
            Download("PDF")
        }
        let findings = ScriptLint.findings(in: script)
        #expect(findings.filter { $0.severity == .error }.map(\.rule).sorted() == ["interval", "polled-secret"])
        #expect(findings.contains { $0.rule == "repeated-sign-in" && $0.severity == .warning })
    }
}
