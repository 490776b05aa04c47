import Automation
import BankScript
import Foundation
import HTMLAutomation
import Messages
import Phone
import PhoneStore
import Secrets
import Storage
import TestCases
import TestParties
import TestServers
import Testing

@Suite("A wrong password whose refusal the phone does not notice", .timeLimit(.minutes(4)))
struct SilentRefusalTests {
    private static func scriptOfRequests(at origin: String) -> BankScript {
        BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
            Open("/login")
            Request(
                "POST", "/login",
                body: .object(["user": .value(.credential("username")), "password": .value(.credential("password"))]))
            Download("PDF")
        }
    }

    private static func scriptThatGoesOn(at origin: String) -> BankScript {
        BankScript("default", named: "Counting Bank", at: origin, isForTesting: true) {
            Open("/login")
            Fill("Username", with: .username)
            Fill("Password", with: .password)
            Press("Sign in")
            Open("/login")
            Download("PDF")
        }
    }

    private static let scripts: [@Sendable (String) -> BankScript] = [
        { .countingBank(at: $0) }, { scriptOfRequests(at: $0) }, { scriptThatGoesOn(at: $0) },
    ]

    @Test(
        "status 401 or 403 without a word holds the bank: the next approval does not send the password",
        arguments: [401, 403], [0, 1, 2])
    func status(status: Int, script: Int) async throws {
        let bank = CountingBank(.rejects(status))
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let runner = try phone.runner(Self.scripts[script](origin))
                let requests = try await phone.requests(3, to: runner)
                #expect(try await runner.approve(requests[0], with: phone.verification).code == "BANK_LOGIN_FAILED")
                for request in requests.dropFirst() {
                    await #expect(throws: PhoneError.self) {
                        try await runner.approve(request, with: phone.verification)
                    }
                }
                #expect(bank.count() == 1, "three approvals sent the password \(bank.count()) times")
                // A firewall answers 403 to a right password, too.
                let reason: FailureReason = status == 401 ? .wrongCredentials : .signInNotConfirmed
                #expect(try await runner.pending().allSatisfy { $0.hold?.reason == reason })
            }
        }
    }

    @Test(
        "a connection that is cut before the answer to the password holds the bank, whether or not the bank has read it",
        arguments: CuttingRelay.Cut.allCases, [0, 1, 2])
    func cut(_ cut: CuttingRelay.Cut, script: Int) async throws {
        let bank = CountingBank(.rejects(401))
        try await bank.serve { origin in
            let (relay, port) = try CuttingRelay.tcp(to: try #require(URL(string: origin)?.port))
            defer { relay.stop() }
            // The sign-in page comes first.
            relay.cut(cut, atCall: 2)
            try await TestPhone.with { phone in
                let runner = try phone.runner(Self.scripts[script]("http://127.0.0.1:\(port)"))
                let requests = try await phone.requests(3, to: runner)
                let outcome = try await runner.approve(requests[0], with: phone.verification)
                #expect(outcome.code == "BANK_LOGIN_FAILED", "\(outcome)")
                for request in requests.dropFirst() {
                    await #expect(throws: PhoneError.self) {
                        try await runner.approve(request, with: phone.verification)
                    }
                }
                #expect(bank.count() == (cut == .before ? 0 : 1), "the password was sent \(bank.count()) times")
                #expect(try await runner.pending().allSatisfy { $0.hold?.reason == .signInNotConfirmed })
            }
        }
    }

    @Test("a bank that cannot be reached for the password is not on hold: nothing was sent")
    func unreachable() async throws {
        let closed = try LoopbackSocket.bound()
        close(closed.descriptor)
        let bank = CountingBank(.rejects(401), action: "http://127.0.0.1:\(closed.port)/login")
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                var script = BankScript.countingBank(at: origin)
                script.origins.append("http://127.0.0.1:\(closed.port)")
                let runner = try phone.runner(script)
                let request = try await phone.requests(1, to: runner)[0]
                let outcome = try await runner.approve(request, with: phone.verification)
                #expect(outcome.code == "NAVIGATION_FAILED", "\(outcome)")
                #expect(try await runner.store.hold(onBank: "default") == nil)
            }
        }
    }

    /// The person is asked for a code, after the password was sent, and does not answer.
    private struct SilentPerson: HumanPrompt {
        func answer(_ prompt: Prompt) async throws -> Secret {
            try await Task.sleep(for: .seconds(60))
            return Secret("")
        }
    }

    @Test("a phone that is killed right after it sent the password does not send it again unseen")
    func killed() async throws {
        let bank = CountingBank(.refusesCodes)
        try await bank.serve { origin in
            try await TestPhone.with { phone in
                let script = BankScript.countingBankWithCode(at: origin)
                let runner = try phone.runner(script, person: SilentPerson())
                let requests = try await phone.requests(2, to: runner)
                let run = Task { try await runner.approve(requests[0], with: phone.verification) }
                while bank.count() == 0 { try await Task.sleep(for: .milliseconds(20)) }
                // The disk as a power cut would leave it.
                let folder = phone.home.folder.deletingLastPathComponent().appending(path: "after-the-kill-\(UUID())")
                try FileManager.default.copyItem(at: phone.home.folder, to: folder)
                defer { try? FileManager.default.removeItem(at: folder) }
                run.cancel()
                _ = try? await run.value

                let home = PhoneHome(folder)
                let services = PhoneServices(
                    scripts: ScriptRegistry([script]), person: SilentPerson(), clock: phone.clock,
                    servesTestBank: true, engine: { try HTMLNavigationEngine(for: $0) })
                let next = try PhoneRunner(home: home, connection: try phone.connection(), services: services)
                let waiting = try await next.pending()
                let held = try #require(waiting.first { $0.id == requests[1].id })
                #expect(held.hold?.reason == .cancelled)
                #expect(held.hold?.words.contains("the phone stopped during the sign-in") == true)
                await #expect(throws: PhoneError.self) { try await next.approve(held, with: phone.verification) }
                #expect(bank.count() == 1, "the password was sent \(bank.count()) times")
                let audited = try await next.store.audit.records(AuditFilter(type: "hold"))
                #expect(audited.last?.event.type == "hold.set")
            }
        }
    }

    @Test("a run that ends in order leaves no hold, even where the bank was not reached")
    func ordinaryEnd() async throws {
        try await TestPhone.withRequest { phone, runner, request in
            phone.engine.tell { $0.pressError = .unreached("no connection") }
            _ = try await runner.approve(request, with: phone.verification)
            await phone.broker.offer([try phone.envelope(month: 2)])
            #expect(try await runner.refresh().pending.allSatisfy { $0.hold == nil })
        }
    }
}
