#if os(Linux)
    import Automation
    import BankScript
    import Clocks
    import DefaultBank
    import FinTS
    import Foundation
    import KeyVault
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

    @testable import Phone

    /// The visits of the built program, for a phone in this process.
    enum BuiltVisits {
        static let program = VisitProgram([Repository.countersign.path, VisitProgram.name])

        /// The processes that visit a bank now.
        static var processes: [Descendant] { Descendant.all.filter { $0.command.contains(VisitProgram.name) } }
    }

    /// A person who answers when the test lets them.
    final class WaitingPerson: HumanPrompt {
        private let asked = Mutex<Prompt?>(nil)
        private let answers = AsyncStream<Secret>.makeStream()

        /// The question; nil before it is asked.
        var question: Prompt? { asked.withLock(\.self) }

        func give(_ code: String) { answers.continuation.yield(Secret(code)) }

        func answer(_ prompt: Prompt) async throws -> Secret {
            asked.withLock { $0 = prompt }
            for await answer in answers.stream { return answer }
            throw CancellationError()
        }
    }

    @Suite(
        "A visit in a process of its own ends as one in the phone's process does", .timeLimit(.minutes(6)),
        .enabled(if: !Sanitizer.isActive))
    struct VisitProcessTests {
        /// All that a visit leaves behind, without what is another one in each run.
        private struct End: Equatable {
            var outcome = ""
            var code: ErrorCode.RawValue?
            var message: String?
            var reason: FailureReason?
            var hold: FailureReason?
            var report: String?
            var page: String?
            var audited: [String] = []
            var warnings: [String] = []
            var accounts: [String] = []
            var skeletons: [String] = []
            var documents: [String] = []
        }

        private static func variant(_ name: String) throws -> BankScript {
            try BankScript(
                yaml: String(
                    contentsOf: Repository.file("BankScripts/DefaultBank/Variants/\(name).yaml"), encoding: .utf8),
                file: "\(name).yaml")
        }

        private static func end(
            in scenario: Scenario, _ script: BankScript, _ visits: VisitProgram?, kinds: [DocumentKind]
        ) async throws -> End {
            let found = Mutex(End())
            try await BothSides.running(in: scenario, running: script, visits: visits) { both in
                let id: RequestID
                if kinds.isEmpty {
                    id = try await both.ask()
                } else {
                    _ = try await both.phone.refresh()
                    let last = try #require(MonthYear.current(at: Date(), in: .gmt).previous)
                    let first = try #require(last.previous?.previous?.previous?.previous?.previous?.previous)
                    id = try await both.agent.requestDocuments(
                        DocumentsRequest(from: first, to: last, kinds: kinds)
                    ).id
                }
                func plain(_ text: String?) -> String? {
                    text?.replacing(both.bank.url, with: "BANK").replacing(id.description, with: "ID")
                        .replacing(/127\.0\.0\.1:[0-9]+/, with: "HOST")
                }
                let outcome = try await both.approve(id)
                try await both.until { try await both.status(id).isTerminal }
                let (phone, store) = (both.phone, both.phone.store)
                let stored = try #require(try await store.request(id))
                var end = End()
                end.outcome = plain("\(outcome)") ?? ""
                end.code = stored.errorCode
                end.message = plain(stored.errorMessage)
                end.reason = stored.failureReason
                end.hold = try await store.hold(onBank: "default")?.reason
                end.report = plain(try phone.failureReport(of: id))
                if let key = store.openMessageKey {
                    end.page = plain(try FailureReports(of: phone.home, key: key).text(.page, of: id))
                }
                end.audited = try await store.audit.records(AuditFilter(requestID: id.description)).map(\.event.type)
                end.warnings = try await store.runWarnings(of: [id])[id]?.compactMap { plain($0.message) } ?? []
                end.accounts = try await store.accounts(ofBank: "default").map(\.alias.description).sorted()
                end.skeletons = try await store.skeletons().map { "\($0.step) \($0.first)" }
                let summary = try #require(RequestSummary(json: try await both.agent.request(id).json))
                end.documents = (summary.documents ?? []).map { document in
                    "\(document.place) \(document.filePath != nil) \(document.errorCode ?? "")"
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: phone.home.downloads.path).isEmpty,
                    "nothing stays in the folder for downloads")
                let kept = end
                found.withLock { $0 = kept }
            }
            return found.withLock(\.self)
        }

        @Test(
            "for a statement, whatever the bank does",
            arguments: [
                Scenario.happy, .wrongPassword, .accountLocked, .passwordExpired, .termsToAccept, .advertisement,
                .wrongCode, .maintenance, .sessionExpired, .renamedLink, .changedLayout, .truncatedPDF,
                .htmlInsteadOfPDF, .foreignRedirect, .javascriptWall,
            ])
        func statement(scenario: Scenario) async throws {
            let here = try await Self.end(in: scenario, MeridianSavings.script, nil, kinds: [])
            let there = try await Self.end(in: scenario, MeridianSavings.script, BuiltVisits.program, kinds: [])
            #expect(there == here)
        }

        @Test(
            "for several documents and kinds",
            arguments: [
                (Scenario.fiveDocuments, nil, [DocumentKind.pdf]), (.monthMissing, nil, [.pdf]),
                (.everyKind, "every-kind", [.pdf, .camt, .csv, .html]),
            ] as [(Scenario, String?, [DocumentKind])])
        func documents(scenario: Scenario, variant: String?, kinds: [DocumentKind]) async throws {
            let script = try variant.map(Self.variant) ?? MeridianSavings.script
            let here = try await Self.end(in: scenario, script, nil, kinds: kinds)
            let there = try await Self.end(in: scenario, script, BuiltVisits.program, kinds: kinds)
            #expect(there == here)
            #expect(there.outcome.hasPrefix("delivered"), "\(there.outcome)")
        }

        @Test("for a bank that knows the phone: the second visit needs no code")
        func device() async throws {
            let person = WaitingPerson()
            person.give(BothSides.credentials["code"]!)
            try await BothSides.running(
                in: .knownDevice, running: try Self.variant("known-device"), visits: BuiltVisits.program, person: person
            ) { both in
                for month in 1...2 {
                    let id = try await both.ask(month: month)
                    let outcome = try await both.approve(id)
                    guard case .completed = outcome else {
                        Issue.record("\(outcome)")
                        return
                    }
                    try await both.until { try await both.status(id).isTerminal }
                }
                // The one answer was for the first visit: a question in the second would wait until the run's limit.
                #expect(try await both.phone.store.banksThatKnowThisPhone().map(\.bankID) == ["default"])
            }
        }

        @Test(
            "for a bank that speaks FinTS",
            arguments: [FinTSScenario.happy, .decoupled, .wrongPIN, .maintenance, .photoTAN])
        func fints(scenario: FinTSScenario) async throws {
            var outcomes: [String] = []
            for visits in [nil, BuiltVisits.program] {
                var configuration = FinTSBankConfiguration()
                configuration.scenario = scenario
                (configuration.user, configuration.pin) = ("ada.lovelace", "analytical engine")
                configuration.today = Date()
                let server = try await FinTSBankServer.start(configuration)
                let (url, code, tan) = (server.url, configuration.bankCode, configuration.tan)
                let outcome = try await TestPhone.with { phone in
                    let script = BankScript(
                        "default", named: "Musterbank",
                        from: SourceDeclaration(
                            .fints, at: url, settings: ["bank code": code], fetching: [.pdf]),
                        isForTesting: true)
                    var services = phone.services(script)
                    services.servesTestBank = true
                    services.person = PersonWithTAN(tan: tan)
                    services.visits = visits
                    services.sources = [.fints: FinTSSource(certificateAuthority: nil)]
                    // The process of a visit has the system's clock.
                    let month = try #require(MonthYear.current(at: Date(), in: .gmt).previous)
                    await phone.broker.offer([try phone.envelope(month: month.month, year: month.year)])
                    let runner = try PhoneRunner(
                        home: phone.home, connection: try phone.connection(), services: services)
                    let request = try #require(try await runner.refresh().pending.last)
                    let outcome = try await runner.approve(request, with: phone.verification)
                    let hold = try await runner.store.hold(onBank: "default")?.reason
                    return "\(outcome) \(hold as Any)".replacing(request.id.description, with: "ID")
                        .replacing(url, with: "BANK")
                }
                await server.stop()
                outcomes.append(outcome)
            }
            #expect(outcomes[0] == outcomes[1])
            if scenario == .happy { #expect(outcomes[0].hasPrefix("completed"), "\(outcomes[0])") }
        }
    }

    private struct PersonWithTAN: HumanPrompt {
        let tan: String

        func answer(_ prompt: Prompt) async throws -> Secret {
            guard case .confirmElsewhere = prompt.kind else { return Secret(tan) }
            try await Task.sleep(for: .seconds(3600))
            throw CancellationError()
        }
    }
#endif
