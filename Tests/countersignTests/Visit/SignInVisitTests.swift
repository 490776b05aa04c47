#if os(Linux)
    import Automation
    import BankScript
    import DefaultBank
    import Foundation
    import MockBank
    import Secrets
    import Synchronization
    import TestSupport
    import Testing

    @testable import Phone

    @Suite("A trial of a sign-in in a process of its own", .timeLimit(.minutes(2)), .enabled(if: !Sanitizer.isActive))
    struct SignInVisitTests {
        /// Gives what the script names, and notes what was asked for.
        private final class Customer: CredentialProvider, HumanPrompt {
            let asked = Mutex<[String]>([])

            func credential(named name: String, forBank bankID: String) async throws -> Secret? {
                asked.withLock { $0.append(name) }
                return Secret("a value of the trial")
            }

            func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
        }

        @Test("ends before the step that its order names, and leaves no folder")
        func gate() async throws {
            let bank = try await MockBankServer.start()
            let downloads = try TemporaryFolder()
            defer { downloads.remove() }
            let customer = Customer()
            let gate = SignInGate(before: 2)
            let result = await SignInVisit(BuiltVisits.program, downloads: downloads.url).result(
                of: MeridianSavings.script.served(at: bank.url, isForTesting: true),
                parameters: ["month": 1, "year": 2026],
                HostServices(credentials: customer, person: customer, downloads: FolderSink(downloads.url)), to: gate)
            guard case .failure(let failure) = result else {
                Issue.record("the visit did not stop")
                return
            }
            #expect(gate.hasStopped && failure.reason == .cancelled, "\(failure)")
            #expect(!failure.hasSentCredentials && customer.asked.withLock { $0.isEmpty })
            #expect(try FileManager.default.contentsOfDirectory(atPath: downloads.url.path).isEmpty)
            await bank.stop()
        }
    }
#endif
