import Automation
import BankScript
import BrowserAutomation
import Foundation
import TestCases
import TestServers
import TestSupport
import Testing

@Suite("A page in the browser engine that sends the same password many times", .timeLimit(.minutes(4)))
struct RepeatedSubmissionInBrowserTests {
    private func failure(of script: BankScript) async throws -> RunFailure? {
        let services = HostServices(
            credentials: TestCredentials(
                values: ["username": "ada.lovelace", "password": CountingBank.password]),
            person: TestPerson(code: "123456"), downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services, limit: .seconds(60)) {
            try await BrowserNavigationEngine.start(for: $0)
        }
        do {
            _ = try await runner.run(script, parameters: ["month": 1, "year": 2026])
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a redirect does not make the browser send the password again", .needsChromedriver, arguments: [false, true])
    func redirect(isGrowing: Bool) async throws {
        let bank = CountingBank(.repeatsBody(growing: isGrowing))
        try await bank.serve { origin in
            let failure = try await failure(of: .countingBank(at: origin))
            #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
            #expect(failure?.reason == .attemptsUsed, "\(String(describing: failure))")
        }
    }

    @Test(
        "a page that submits by itself does not send the password again", .needsChromedriver,
        arguments: CountingBank.Resending.allCases)
    func script(way: CountingBank.Resending) async throws {
        let bank = CountingBank(.sendsAgain(way))
        try await bank.serve { origin in
            let failure = try await failure(of: .countingBank(at: origin))
            #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
            #expect(failure?.reason == .attemptsUsed, "\(String(describing: failure))")
        }
    }

    @Test("a script that declares two attempts gets two, and not three", .needsChromedriver)
    func declared() async throws {
        let bank = CountingBank(.repeatsBody(growing: true))
        try await bank.serve { origin in
            var script = BankScript.countingBank(at: origin)
            script.attempts = 2
            let failure = try await failure(of: script)
            #expect(bank.count() == 2, "the password was sent \(bank.count()) times")
            #expect(failure?.reason == .attemptsUsed, "\(String(describing: failure))")
        }
    }

    @Test("an ordinary sign-in sends the password once and is not stopped", .needsChromedriver)
    func ordinary() async throws {
        let bank = CountingBank(.refuses)
        try await bank.serve { origin in
            let failure = try await failure(of: .countingBank(at: origin))
            #expect(failure?.reason == .wrongCredentials, "\(String(describing: failure))")
            #expect(bank.count() == 1)
        }
    }

    @Test(
        "a password whose answer was cut may have been refused", .needsChromedriver)
    func unanswered() async throws {
        let bank = CountingBank(.rejects(401))
        try await bank.serve { origin in
            let (relay, port) = try CuttingRelay.tcp(to: try #require(URL(string: origin)?.port))
            let cut = CountingBank(.rejects(401), action: "http://127.0.0.1:\(port)/login")
            relay.cut(.after, atCall: 1)
            try await cut.serve { page in
                var script = BankScript.countingBank(at: page)
                script.origins.append("http://127.0.0.1:\(port)")
                let failure = try await failure(of: script)
                #expect(failure?.reason == .signInNotConfirmed, "\(String(describing: failure))")
                #expect(failure?.isSignInUnanswered == true)
            }
            relay.stop()
        }
    }
}
