#if os(Linux)
    import Automation
    import BankScript
    import Foundation
    import Machine
    import Messages
    import MockBank
    import PhoneStore
    import Secrets
    import Storage
    import Synchronization
    import TestParties
    import TestSupport
    import Testing

    @testable import KeyVault
    @testable import Phone

    /// A page that has taken over the process which reads it, and what that process can reach.
    @Suite("A process that visits a bank", .timeLimit(.minutes(4)), .enabled(if: !Sanitizer.isActive), .serialized)
    struct VisitProcessAttackTests {
        /// Approves a request, runs `body` while the visit waits for a code, gives the code, and runs `check`.
        private static func whileAsked(
            cancelling: Bool = false, _ body: @escaping @Sendable (BothSides, Descendant) async throws -> Void,
            _ check: @escaping @Sendable (BothSides, RunOutcome) async throws -> Void
        ) async throws {
            let person = WaitingPerson()
            try await BothSides.running(visits: BuiltVisits.program, person: person) { both in
                let vault = try await both.phoneHome.vault.open(passphrase: BothSides.passphrase)
                try await CredentialVault(vault, store: both.phone.store).set(
                    ["username": Secret("other-bank-user-canary"), "password": Secret("other-bank-password-canary")],
                    forBank: "north")
                vault.close()
                let shown = try await both.shown(try await both.ask())
                let before = Set(BuiltVisits.processes)
                let run = Task {
                    try await both.phone.approve(shown, with: PassphraseVerification(BothSides.passphrase))
                }
                try await both.until { person.question != nil }
                let process = try #require(BuiltVisits.processes.first { !before.contains($0) })
                do {
                    try await body(both, process)
                } catch {
                    Issue.record(error)
                }
                if cancelling { run.cancel() }
                person.give(BothSides.credentials["code"]!)
                try await check(both, try await run.value)
                #expect(Descendant.parent(of: process.id) == nil, "the process is gone")
                #expect(try FileManager.default.contentsOfDirectory(atPath: both.phoneHome.downloads.path).isEmpty)
            }
        }

        @Test(
            "has neither the vault's keys nor anything of the broker or of another bank in its memory",
            .enabled(if: geteuid() == 0, "only root can read the memory of a protected process"))
        func memory() async throws {
            try await Self.whileAsked { both, process in
                let vault = try await both.phoneHome.vault.open(passphrase: BothSides.passphrase)
                let key = try vault.key.subkey(for: "countersign vault entries 1").withUnsafeBytes { Array($0) }
                let reports = try #require(try await vault.secret(named: FailureReports.entry))
                vault.close()
                let texts = [
                    BothSides.passphrase.revealed(), "phone-token-phone-token-phone-token",
                    "agent-token-agent-token-agent-token", "a shared secret of more than thirty-two bytes",
                    "other-bank-user-canary", "other-bank-password-canary",
                ]
                var sought = texts.map { (name: $0, bytes: Array($0.utf8)) }
                sought.append(("the key of the vault's entries", key))
                sought.append(("the key of the reports", reports.withUnsafeBytes { Array($0) }))
                let memory = ProcessMemory(process: process.id)
                let hits = try memory.places(of: sought, inLocked: true)
                #expect(hits.isEmpty, "\(hits.prefix(20).map(\.description).joined(separator: "\n"))")
                // The search finds what is there: the user name of this bank.
                let own = try memory.places(of: [BothSides.credentials["username"]!], inLocked: true)
                #expect(!own.isEmpty)
                let environment = try Data(contentsOf: URL(filePath: "/proc/\(process.id)/environ"))
                #expect(!String(decoding: environment, as: UTF8.self).contains("TOKEN"))
            } _: { _, outcome in
                guard case .completed = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }

        @Test("can open neither the phone's files nor those of another process, and start no program")
        func files() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = folder.appending("vault.json")
            try Data("{}".utf8).write(to: file)
            for path in [file, URL(filePath: "/etc/passwd"), URL(filePath: "/proc/\(getpid())/mem")] {
                let (deeds, landlock) = try await BuiltVisits.program.escapes(to: path)
                #expect(landlock == ConfinementOfTests.landlock)
                if landlock > 0 { #expect(deeds.isEmpty, "\(path.path)") }
            }
        }

        @Test("with a browser can make no program that acts for its user, and use no key ring")
        func withBrowser() async throws {
            let (deeds, _) = try await BuiltVisits.program.escapes(
                to: URL(filePath: "/etc/passwd"), withBrowser: true)
            #expect(deeds.isEmpty)
        }

        @Test("that is killed ends the run with a clear message, and puts the bank on hold")
        func killed() async throws {
            try await Self.whileAsked { _, process in
                kill(process.id, SIGKILL)
                // Its end is heard before the answer is given.
                while Descendant.parent(of: process.id) != nil { try await Task.sleep(for: .milliseconds(5)) }
                try await Task.sleep(for: .milliseconds(100))
            } _: { both, outcome in
                guard case .failed(let code, let message) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(code == "NAVIGATION_FAILED")
                #expect(message.contains("Meridian Savings was ended by signal 9"), "\(message)")
                let hold = try await both.phone.store.hold(onBank: "default")
                #expect(hold?.reason == .cancelled)
            }
        }

        @Test("of a run that is cancelled signs out, and ends")
        func cancelled() async throws {
            try await Self.whileAsked(cancelling: true) { _, _ in
            } _: { both, outcome in
                guard case .failed(let code, let message) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(code == "NAVIGATION_FAILED" && message.contains("cancelled"), "\(code) \(message)")
                let hold = try await both.phone.store.hold(onBank: "default")
                #expect(hold?.reason != .cancelled)
            }
        }

        @Test("is what the household's own page starts for each run", .timeLimit(.minutes(3)))
        func household() async throws {
            let household = try HouseholdProcess()
            let (program, events) = try await household.up()
            defer { program.signal(SIGKILL) }
            let asked = try await household.run("request", "2026-01", "--json")
            #expect(asked.status == 0, "\(asked)")
            let owner = try await OwnerOnPage(events, household)
            let id = try #require(asked.output.firstMatch(of: /"request_id": ?"([^"]+)"/)).1
            let number = try await owner.approve(String(id))
            let processes = Self.descendants(of: program.id).filter { $0.command.contains(VisitProgram.name) }
            #expect(processes.count == 1, "\(processes)")
            if geteuid() == 0, let process = processes.first {
                var texts = [owner.passphrase]
                for secret in ["agent.token", "broker/database.secret"] {
                    let text = try String(contentsOf: household.data.appending(path: secret), encoding: .utf8)
                    texts.append(String(text.dropLast()))
                }
                let hits = try ProcessMemory(process: process.id).places(of: texts, inLocked: true)
                #expect(hits.isEmpty, "\(hits)")
            }
            try await owner.answer(number, "123456")
            try await household.awaitStatement()
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }

        private static func descendants(of id: Int32) -> [Descendant] {
            Descendant.all.filter { descendant in
                var next: Int32? = descendant.id
                while let current = next, current != id { next = Descendant.parent(of: current) }
                return next == id
            }
        }
    }
#endif
