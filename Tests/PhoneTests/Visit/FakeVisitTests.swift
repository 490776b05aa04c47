#if os(Linux)
    import Automation
    import BankScript
    import Encodings
    import Foundation
    import KeyVault
    import Messages
    import PhoneStore
    import Secrets
    import TestParties
    import TestSupport
    import Testing

    @testable import Phone

    /// A shell in the place of the process that visits a bank. Its standard input is the socket.
    @Suite("A visit whose process fails", .timeLimit(.minutes(2)))
    struct FakeVisitTests {
        /// A number of four bytes, big-endian, as a shell's printf takes it.
        private static func bytes(_ number: Int) -> String {
            withUnsafeBytes(of: UInt32(number).bigEndian) { bytes in
                bytes.map { byte in
                    let digits = String(byte, radix: 8)
                    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                }.joined()
            }
        }

        private static let hello = "printf '\(bytes(14))%s' '{\"landlock\":0}' >&0"

        /// Writes a message as the process does.
        private static func message(_ json: JSONValue) -> String {
            let text = json.compactText()
            return "printf '\(bytes(text.utf8.count + 4))\(bytes(text.utf8.count))%s' '\(text)' >&0"
        }

        private static func call(_ id: Int, _ name: String, _ value: JSONValue) -> String {
            message(["kind": "call", "id": .number(Double(id)), "name": .string(name), "value": value, "pieces": []])
        }

        /// Answers the order, which comes soon after the start.
        private static func answer(_ value: JSONValue) -> String {
            "sleep 0.5; " + message(["kind": "answer", "id": 1, "name": "", "value": value, "pieces": []])
        }

        /// Approves a request whose visit is made by the shell's program.
        private static func visit(
            _ script: String, _ check: @escaping @Sendable (PhoneRunner, String, String) async throws -> Void
        ) async throws {
            try await TestPhone.with { phone in
                await phone.broker.offer([try phone.envelope()])
                var services = phone.services()
                services.visits = VisitProgram(["/bin/sh", "-c", script])
                let runner = try PhoneRunner(home: phone.home, connection: try phone.connection(), services: services)
                let request = try #require(try await runner.refresh().pending.first)
                guard case .failed(let code, let message) = try await runner.approve(request, with: phone.verification)
                else {
                    Issue.record("the visit did not fail")
                    return
                }
                #expect(phone.engine.state.withLock { $0.opened } == 0, "nothing was visited in this process")
                #expect(try FileManager.default.contentsOfDirectory(atPath: phone.home.downloads.path).isEmpty)
                #expect(await phone.broker.actions().last == "failure", "the broker hears of it")
                try await check(runner, code, message)
            }
        }

        /// The program of a process that begins, says something, and waits.
        private static func saying(_ words: String) -> String { "\(hello); \(words); exec sleep 600" }

        private static let outside: JSONValue = ["value": ["document": ["file": "../../vault.json"]]]
        private static let noCode: JSONValue = ["value": ["failure": ["code": "NO_CODE"]]]
        private static let noPages: JSONValue = ["value": ["skeletons": ["a": 1]]]
        private static let otherScript: JSONValue = ["error": "it is another script"]

        private static let endings: [(String, String)] = [
            ("exit 3", "was not visited"), ("kill -9 $$", "was not visited"),
            ("\(hello); kill -9 $$", "was ended by signal 9"), ("\(hello); exit 4", "ended with status 4"),
            (saying("printf 'Segmentation fault, and much more of this' >&0"), "sent too much"),
            (saying("printf '\\000\\000\\000\\005abcde' >&0"), "sent too much"),
            (saying(call(1, "vault", .null)), "it asks for “vault”"),
            (saying(call(1, "answer", .null)), "a question of no form"), (saying(answer(.null)), "senseless"),
            (saying(answer(outside)), "senseless"), (saying(answer(noCode)), "senseless"),
            (saying(answer(noPages)), "senseless"), (saying(answer(otherScript)), "it is another script"),
        ]

        @Test(
            "ends with one clear error, and the bank is not on hold before a credential was given",
            arguments: endings)
        func failures(script: String, words: String) async throws {
            try await Self.visit(script) { runner, code, message in
                #expect(code == "NAVIGATION_FAILED")
                #expect(message.contains(words), "\(message)")
                let hold = try await runner.store.hold(onBank: "default")
                #expect(hold == nil)
            }
        }

        @Test("puts the bank on hold once a credential was given, as after a phone that stopped itself")
        func hold() async throws {
            let script = "\(Self.hello); \(Self.call(1, "credential", ["name": "password"])); sleep 1; kill -9 $$"
            try await Self.visit(script) { runner, code, message in
                #expect(message.contains("was ended by signal 9"), "\(message)")
                let hold = try await runner.store.hold(onBank: "default")
                #expect(hold?.reason == .cancelled)
            }
        }

        @Test("that has only the user name leaves the bank as it was")
        func userName() async throws {
            let script = "\(Self.hello); \(Self.call(1, "credential", ["name": "username"])); sleep 1; kill -9 $$"
            try await Self.visit(script) { runner, _, _ in
                let hold = try await runner.store.hold(onBank: "default")
                #expect(hold == nil)
            }
        }

        /// Gives the process of a trial whatever its script names.
        private struct Customer: CredentialProvider, HumanPrompt {
            func credential(named name: String, forBank bankID: String) async throws -> Secret? { Secret("a value") }

            func answer(_ prompt: Prompt) async throws -> Secret { throw CancellationError() }
        }

        @Test(
            "leaves a trial in doubt once it was given the password",
            arguments: [("username", false), ("password", true)])
        func trial(name: String, isDoubted: Bool) async throws {
            try await TestPhone.with { phone in
                let call = Self.call(1, "credential", ["name": .string(name)])
                let script = "\(Self.hello); \(call); sleep 1; kill -9 $$"
                let downloads = phone.home.downloads
                let visit = SignInVisit(VisitProgram(["/bin/sh", "-c", script]), downloads: downloads)
                let host = HostServices(
                    credentials: Customer(), person: Customer(), downloads: FolderSink(downloads))
                let gate = SignInGate(before: 3)
                let result = await visit.result(of: TestPhone.script, parameters: [:], host, to: gate)
                guard case .failure(let failure) = result else {
                    Issue.record("the visit did not fail")
                    return
                }
                #expect(failure.hasSentCredentials == isDoubted && !gate.hasStopped)
                #expect(SignInVerdict(failure) == (isDoubted ? .refused(.signInNotConfirmed) : nil))
            }
        }
    }
#endif
