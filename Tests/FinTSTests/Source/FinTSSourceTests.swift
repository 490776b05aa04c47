import Automation
import BankScript
import Clocks
import Encodings
import FinTS
import Foundation
import Machine
import Messages
import MockBank
import Secrets
import Synchronization
import TestServers
import TestSupport
import Testing

@Suite("FinTS as a source of documents")
struct FinTSSourceTests {
    /// A bank's file for a mock bank's server.
    private static func file(
        _ server: FinTSBankServer, through port: Int? = nil, fetching kinds: [DocumentKind] = [.pdf, .camt, .mt940],
        bankCode: String = "12345678"
    ) -> BankScript {
        BankScript(
            "musterbank", named: "Musterbank",
            from: SourceDeclaration(
                .fints, at: port.map { "http://localhost:\($0)/fints" } ?? server.url,
                settings: ["bank code": bankCode], fetching: kinds), isForTesting: true)
    }

    private struct Credentials: CredentialProvider {
        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            switch name {
            case "username": Secret(FinTSBankConfiguration().user)
            case "password": Secret(FinTSBankConfiguration().pin)
            default: nil
            }
        }
    }

    private struct Person: HumanPrompt {
        func answer(_ prompt: Prompt) async throws -> Secret {
            switch prompt.kind {
            case .code: return Secret(FinTSBankConfiguration().tan)
            case .choice(let texts): return Secret(texts[0])
            case .confirmElsewhere:
                try await Task.sleep(for: .seconds(600))
                return Secret("")
            }
        }
    }

    /// A clock whose short waits take no time. The long ones, which are limits, last until they are cancelled.
    private final class PollClock: RunClock {
        private let hand = SwiftClock()

        var now: Date { hand.now }

        func sleep(for duration: Duration) async throws {
            if duration >= .seconds(60) { try await Task.sleep(for: .seconds(86_400)) }
            try await hand.sleep(for: duration)
        }
    }

    private final class Trace: RunObserver {
        private let words = Mutex<[String]>([])
        func observe(_ event: RunEvent) {
            words.withLock { $0.append(String(describing: event)) }
        }
        var text: String { words.withLock { $0.joined(separator: "\n") } }
    }

    private struct Outcome {
        var documents: [DocumentPlace: [UInt8]] = [:]
        /// The places in the order in which their documents came.
        var order: [DocumentPlace] = []
        var missing: [DocumentPlace: RunFailure] = [:]
        var failure: RunFailure?
        var trace = ""
        var record = FinTSBank.Record()
    }

    private static func services(into folder: URL, tracing trace: Trace) -> HostServices {
        var services = HostServices(
            credentials: Credentials(), person: Person(), downloads: FolderSink(folder), observer: trace,
            clock: PollClock())
        services.sources = [.fints: FinTSSource()]
        return services
    }

    private func run(
        _ scenario: FinTSScenario, _ places: [DocumentPlace], naming names: [AccountAlias: String] = [:],
        memory: any SourceMemory = NoSourceMemory(), bankCode: String = "12345678"
    ) async throws -> Outcome {
        let server = try await Self.serve(scenario)
        let outcome = try await run(at: server, places, naming: names, memory: memory, bankCode: bankCode)
        await server.stop()
        return outcome
    }

    private static func serve(_ scenario: FinTSScenario) async throws -> FinTSBankServer {
        var configuration = FinTSBankConfiguration()
        configuration.scenario = scenario
        configuration.today = Date(timeIntervalSince1970: 1_780_000_000)
        return try await FinTSBankServer.start(configuration)
    }

    private func run(
        at server: FinTSBankServer, through port: Int? = nil, _ places: [DocumentPlace],
        naming names: [AccountAlias: String] = [:],
        memory: any SourceMemory, bankCode: String = "12345678"
    ) async throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let trace = Trace()
        var services = Self.services(into: folder, tracing: trace)
        services.memory = memory
        let results = Mutex(Outcome())
        let runner = ScriptRunner(services: services, limit: .seconds(86_400)) { _ in
            throw RunFailure(.navigationFailed, message: "a source needs no engine")
        }
        do throws(RunFailure) {
            try await runner.run(Self.file(server, through: port, bankCode: bankCode), fetching: places, naming: names)
            {
                (place, result) throws(RunFailure) in
                results.withLock { outcome in
                    switch result {
                    case .success(let document):
                        outcome.order.append(place)
                        outcome.documents[place] = (try? Data(contentsOf: document.file)).map(Array.init)
                    case .failure(let failure): outcome.missing[place] = failure
                    }
                }
            }
        } catch {
            results.withLock { $0.failure = error }
        }
        var outcome = results.withLock { $0 }
        outcome.trace = trace.text
        outcome.record = server.bank.record
        return outcome
    }

    private static func places(_ account: String? = nil, kinds: [DocumentKind] = [.camt, .mt940, .pdf]) throws
        -> [DocumentPlace]
    {
        let alias = try account.map { try #require(AccountAlias($0)) }
        return try ["2026-03", "2026-04"].flatMap { text in
            let month = try #require(MonthYear(text))
            return kinds.map { DocumentPlace(account: alias, period: month, kind: $0) }
        }
    }

    @Test(
        "fetches the same files as the bank's pages have",
        arguments: [FinTSScenario.happy, .decoupled, .manyPages, .tanForStatements])
    func fetches(_ scenario: FinTSScenario) async throws {
        let places = try Self.places()
        let outcome = try await run(scenario, places)
        #expect(outcome.failure == nil && outcome.missing.isEmpty, "\(outcome)")
        #expect(outcome.record.breaches == [])
        for place in places where place.kind != .camt || scenario != .manyPages {
            let expected =
                place.kind == .pdf
                ? MockBankServer.statement(month: place.period.month, year: place.period.year)
                : MockBankServer.file(
                    account: "everyday", month: place.period.month, year: place.period.year, as: place.kind.rawValue)
            #expect(outcome.documents[place] == expected, "\(place)")
        }
    }

    @Test("fetches all statements of a month, numbered from the oldest, and the first of them last")
    func severalStatements() async throws {
        let places = try Self.places(kinds: [.pdf])
        let outcome = try await run(.severalStatements, places)
        #expect(outcome.failure == nil && outcome.missing.isEmpty, "\(outcome)")
        #expect(outcome.order == places.flatMap { [$0.numbered(2), $0] })
        #expect(Set(outcome.documents.values).count == 4)
        let everyday = try #require(places.first)
        let whole = MockBankServer.statement(month: everyday.period.month, year: everyday.period.year)
        #expect(outcome.documents[everyday] != whole && outcome.documents[everyday.numbered(2)] != whole)
    }

    @Test("a run for one month brings the newest of its statements, says it, and leaves no other file")
    func newest() async throws {
        var configuration = FinTSBankConfiguration()
        configuration.scenario = .severalStatements
        configuration.today = Date(timeIntervalSince1970: 1_780_000_000)
        let server = try await FinTSBankServer.start(configuration)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let trace = Trace()
        let services = Self.services(into: folder, tracing: trace)
        let runner = ScriptRunner(services: services, limit: .seconds(86_400)) { _ in
            throw RunFailure(.navigationFailed, message: "a source needs no engine")
        }
        let document = try await runner.run(
            Self.file(server, fetching: [.pdf]),
            parameters: ["month": ParameterValue(4), "year": ParameterValue(2026)])
        await server.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [document.file.lastPathComponent])
        #expect(trace.text.contains("several documents for 2026-04"))
    }

    @Test("fetches the account that was asked for, by its alias or by the name that the person kept")
    func accounts() async throws {
        let savings = try await run(.happy, try Self.places("Rainy Day Savings 9914", kinds: [.pdf]))
        #expect(savings.documents.count == 2)
        #expect(
            savings.documents.first.map {
                $0.value == MockBankServer.statement(account: "savings", month: $0.key.period.month, year: 2026)
            } == true)
        let pot = try #require(AccountAlias("Pot"))
        let named = try await run(
            .happy, try Self.places("Pot", kinds: [.pdf]), naming: [pot: "Holiday Pot GB33MERI4020720047"])
        #expect(named.documents.count == 2)
        let unknown = try await run(.happy, try Self.places("Other", kinds: [.pdf]))
        #expect(
            unknown.failure == nil && unknown.missing.values.allSatisfy { $0.reason == .statementMissing }
                && unknown.missing.count == 2)
    }

    @Test(
        "ends with the reason that a script would give",
        arguments: [
            (.wrongPIN, .bankLoginFailed, .wrongCredentials), (.locked, .bankLoginFailed, .accountLocked),
            (.userLocked, .bankLoginFailed, .accountLocked), (.wrongTAN, .bankLoginFailed, .wrongCode),
            (.decoupledRefused, .bankLoginFailed, .approvalCancelled),
            (.decoupledUnanswered, .bankSecondFactorTimeout, .noAnswer),
            (.maintenance, .navigationFailed, .maintenance),
            (.garbage, .navigationFailed, .layoutChanged), (.unknownProduct, .navigationFailed, .refusedByBank),
            (.otherBank, .navigationFailed, .refusedByBank), (.otherAccount, .navigationFailed, .layoutChanged),
            (.wrongDialog, .navigationFailed, .layoutChanged),
            (.cutConnection, .bankLoginFailed, .signInNotConfirmed),
            (.unnamedRefusal, .bankLoginFailed, .signInNotConfirmed),
            (.endlessPages, .navigationFailed, .layoutChanged),
        ] as [(FinTSScenario, ErrorCode, FailureReason)])
    func failures(_ scenario: FinTSScenario, _ code: ErrorCode, _ reason: FailureReason) async throws {
        let outcome = try await run(scenario, try Self.places())
        #expect(outcome.failure?.code == code && outcome.failure?.reason == reason, "\(outcome)")
        #expect(outcome.documents.isEmpty)
        let failure = try #require(outcome.failure)
        // A message whose answer is cut off may have been read, or not.
        #expect(failure.hasSentCredentials == (outcome.record.withPIN > 0) || scenario == .cutConnection)
        if scenario == .unnamedRefusal { #expect(outcome.record.withPIN == 1 && !failure.isSignInUnanswered) }
        if reason == .wrongCredentials || reason == .accountLocked {
            #expect(outcome.record.withPIN == 1 && failure.isSignInUnconfirmed)
        }
        if reason == .wrongCode { #expect(failure.refusedCodes == 1 && outcome.record.withTAN == 1) }
    }

    @Test("holds a bank whose answer to the PIN was cut, and no other", arguments: 1...8)
    func cut(call: Int) async throws {
        let server = try await Self.serve(.happy)
        let (relay, port) = try CuttingRelay.tcp(to: try #require(URL(string: server.url)?.port))
        relay.cut(.after, atCall: call)
        let outcome = try await run(
            at: server, through: port, try Self.places(), memory: NoSourceMemory())
        relay.stop()
        await server.stop()
        let failure = try #require(outcome.failure)
        // The second message ends the dialog without a PIN. Its answer is not waited for, and the next message finds no way.
        let isUnanswered = call > 1 && outcome.record.withPIN < 2
        #expect(failure.isSignInUnanswered == isUnanswered, "\(failure)")
        #expect(failure.reason == (isUnanswered ? .signInNotConfirmed : .networkFailed), "\(failure)")
        #expect(failure.hasSentCredentials == (call > 1))
    }

    @Test(
        "says which kinds the bank does not offer, and fetches the others",
        arguments: [FinTSScenario.noPDF, .onlyMT940])
    func notOffered(_ scenario: FinTSScenario) async throws {
        let outcome = try await run(scenario, try Self.places())
        #expect(outcome.failure == nil)
        #expect(Set(outcome.documents.keys.map(\.kind)) == (scenario == .noPDF ? [.camt, .mt940] : [.mt940]))
        #expect(outcome.missing.values.allSatisfy { $0.message.contains("offers no") })
    }

    @Test("names both bank codes where they differ: they are not secret")
    func bankCodes() async throws {
        // Digits that no secret of another test has: those are masked in every message of this process.
        let failure = try #require(try await run(.otherBank, try Self.places(), bankCode: "97054862").failure)
        #expect(failure.message.contains("97054862"), "\(failure.message)")
        #expect(!failure.message.contains("#") && !failure.message.contains("•"))
    }

    @Test("a trace has the steps, and neither PIN, TAN, system id nor account number")
    func trace() async throws {
        let outcome = try await run(.happy, try Self.places())
        #expect(outcome.trace.contains("HKKAZ") && outcome.trace.contains("HKTAN"))
        let configuration = FinTSBankConfiguration()
        let steps = outcome.trace.split(separator: "\n").filter { $0.hasPrefix("step") }.joined(separator: "\n")
            // The digits of a time may be those of a number that must not be there.
            .replacing(/[0-9.e-]+ seconds/, with: "")
        for canary in [configuration.pin, configuration.tan, configuration.user, "4711", "4020718836"] {
            #expect(!steps.contains(canary), "\(canary)")
        }
    }

    private struct FullDisk: DownloadSink {
        func destination() async throws -> URL { throw FileError("written", "/home/ada/7.pdf", ENOSPC) }
    }

    @Test(
        "a full disk ends the visit with its next step, and is not called a cancellation",
        arguments: [DocumentKind.pdf, .camt])
    func fullDisk(_ kind: DocumentKind) async throws {
        let server = try await Self.serve(.happy)
        var services = Self.services(into: FileManager.default.temporaryDirectory, tracing: Trace())
        services.downloads = FullDisk()
        let prepared = services
        let failure = await #expect(throws: RunFailure.self) {
            try await ScriptRunner(services: prepared, limit: .seconds(86_400)) { _ in
                throw RunFailure(.navigationFailed, message: "a source needs no engine")
            }
            .run(Self.file(server), fetching: try Self.places(kinds: [kind])) { (_, _) throws(RunFailure) in }
        }
        let segments = server.bank.record.segments
        await server.stop()
        #expect(failure?.code == .inboxWriteFailed && failure?.reason == nil)
        #expect(
            failure?.message.contains("free some space on its disk, and try again") == true,
            "\(String(describing: failure))")
        // The rest would meet the same disk: the bank is asked for nothing more, and left.
        #expect(segments.last?.contains("HKEND") == true)
    }

    @Test("a cancelled run ends, and the bank is left")
    func cancelled() async throws {
        var configuration = FinTSBankConfiguration()
        configuration.scenario = .decoupledUnanswered
        configuration.polls = 999
        let server = try await FinTSBankServer.start(configuration)
        var services = HostServices(
            credentials: Credentials(), person: Person(), downloads: FolderSink(FileManager.default.temporaryDirectory))
        services.sources = [.fints: FinTSSource()]
        let prepared = services
        let task = Task {
            try await ScriptRunner(services: prepared) { _ in throw RunFailure(.navigationFailed, message: "no engine")
            }
            .run(Self.file(server), fetching: try Self.places()) { (_, _) throws(RunFailure) in }
        }
        while !server.bank.record.segments.contains(where: { $0.contains("HKTAN") && !$0.contains("HKIDN") }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        task.cancel()
        let failure = await #expect(throws: RunFailure.self) { try await task.value }
        #expect(failure?.reason == .cancelled)
        #expect(failure?.hasSentCredentials == true)
        #expect(failure?.isSignInUnanswered == false, "the bank has taken the PIN, and asks for a TAN")
        #expect(server.bank.record.segments.last?.contains("HKEND") == true)
        await server.stop()
    }

    private final class Memory: SourceMemory {
        let value = Mutex<Secret?>(nil)
        func kept(forBank bankID: String) async throws -> Secret? { value.withLock { $0 } }
        func keep(_ value: Secret?, forBank bankID: String) async throws { self.value.withLock { $0 = value } }

        var text: String? {
            get { value.withLock { $0?.revealed() } }
            set { value.withLock { $0 = newValue.map(Secret.init) } }
        }
    }

    @Test(
        "keeps system id, method and parameters, and the next visit opens one dialog with them",
        arguments: [FinTSScenario.happy, .noAnonymous])
    func memory(_ scenario: FinTSScenario) async throws {
        let memory = Memory()
        let server = try await Self.serve(scenario)
        var known: String?
        var sent = 0
        for visit in 1...2 {
            let outcome = try await run(at: server, try Self.places(kinds: [.camt]), memory: memory)
            #expect(outcome.failure == nil && outcome.documents.count == 2 && outcome.record.breaches == [])
            let segments = outcome.record.segments.dropFirst(sent)
            sent = outcome.record.segments.count
            #expect(segments.contains { $0.contains("HKSYN") } == (visit == 1))
            #expect(segments.contains { $0.contains("HKSPA") } == (visit == 1))
            #expect(segments.count { $0.contains("HKIDN") } == (visit == 1 ? 3 : 1))
            if visit == 2 { #expect(memory.text == known) }
            known = memory.text
            #expect(known?.contains("942") == true && known?.contains("HITANS") == true)
        }
        await server.stop()
    }

    /// A change to what was kept, as a damaged disk, an older version of the program or a changed file of the bank makes it.
    enum Spoiling: CaseIterable {
        case garbage, emptyText, olderForm, otherBankCode, otherServer, otherParameters, damagedParameters, otherMethod
        case forgottenInstallation, oldForms

        var scenario: FinTSScenario {
            switch self {
            case .forgottenInstallation: .forgotten
            case .oldForms: .newForms
            default: .happy
            }
        }

        func spoil(_ text: String) throws -> String {
            func with(_ name: String, _ change: (String) -> String?) throws -> String {
                var members = try #require(try JSONReader.read(text).objectValue)
                let old = try #require(members[name]?.stringValue)
                members[name] = change(old).map(JSONValue.string)
                return JSONValue.object(members).compactText()
            }
            switch self {
            case .garbage: return "\u{0}{]" + String(text.dropFirst(40))
            case .emptyText: return ""
            case .olderForm:
                var members = try #require(try JSONReader.read(text).objectValue)
                for name in ["bankCode", "address", "parameters"] { members[name] = nil }
                return JSONValue.object(members).compactText()
            case .otherBankCode: return try with("bankCode") { _ in "87654321" }
            case .otherServer: return try with("address") { $0 + "/other" }
            case .otherParameters: return try with("parameters") { $0.replacing("280:12345678", with: "280:87654321") }
            case .damagedParameters: return try with("parameters") { String($0.dropLast(3)) }
            case .otherMethod: return try with("method") { _ in "999" }
            case .forgottenInstallation: return try with("systemID") { $0 + "0" }
            case .oldForms: return try with("parameters") { $0.replacing("+7+280", with: "+6+280") }
            }
        }
    }

    @Test("a bad memory costs a question, and no document", arguments: Spoiling.allCases)
    func badMemory(_ spoiling: Spoiling) async throws {
        let memory = Memory()
        let server = try await Self.serve(spoiling.scenario)
        let places = try Self.places(kinds: [.camt])
        _ = try await run(at: server, places, memory: memory)
        let good = try #require(memory.text)
        memory.text = try spoiling.spoil(good)
        let outcome = try await run(at: server, places, memory: memory)
        #expect(outcome.failure == nil && outcome.documents.count == 2, "\(outcome)")
        #expect(outcome.record.breaches == [] && outcome.record.withWrongPIN == 0)
        // What is kept is whole again.
        let before = outcome.record.segments.count
        let again = try await run(at: server, places, memory: memory)
        await server.stop()
        #expect(again.documents.count == 2)
        #expect(again.record.segments.dropFirst(before).count { $0.contains("HKIDN") } == 1)
    }

    @Test("an account that the kept list does not have is asked for")
    func newAccount() async throws {
        let memory = Memory()
        let server = try await Self.serve(.happy)
        _ = try await run(at: server, try Self.places(kinds: [.camt]), memory: memory)
        let good = try #require(memory.text)
        let members = try #require(try JSONReader.read(good).objectValue)
        let parameters = try #require(members["parameters"]?.stringValue)
        // The list as it was before the second account was opened.
        let older = parameters.replacing(/HIUPD[^']*9914[^']*'/, with: "")
            .replacing(/\+J:GB33MERI4020719914[^+']*/, with: "")
        #expect(!older.contains("9914"))
        memory.text = JSONValue.object(members.merging(["parameters": .string(older)]) { $1 }).compactText()
        let before = server.bank.record.segments.count
        let outcome = try await run(at: server, try Self.places("9914", kinds: [.camt]), memory: memory)
        await server.stop()
        #expect(outcome.documents.count == 2, "\(outcome)")
        #expect(outcome.record.segments.dropFirst(before).contains { $0.contains("HKSPA") })
    }

    @Test("after a failure the bank is asked for its parameters again, and the installation stays known")
    func memoryAfterFailure() async throws {
        let memory = Memory()
        let places = try Self.places(kinds: [.camt])
        let server = try await Self.serve(.happy)
        _ = try await run(at: server, places, memory: memory)
        let good = try #require(memory.text)
        let failing = try await Self.serve(.wrongTAN)
        let moved = try #require(try JSONReader.read(good).objectValue)
        memory.text = JSONValue.object(moved.merging(["address": .string(failing.url)]) { $1 }).compactText()
        let failed = try await run(at: failing, places, memory: memory)
        #expect(failed.failure?.reason == .wrongCode)
        #expect(memory.text?.contains("HITANS") == false && memory.text?.contains("sys+4711") == true)
        await failing.stop()
        let outcome = try await run(at: server, places, memory: memory)
        await server.stop()
        #expect(outcome.documents.count == 2)
    }

    @Test("a program without the source says so")
    func unplugged() async throws {
        let services = HostServices(
            credentials: Credentials(), person: Person(), downloads: FolderSink(FileManager.default.temporaryDirectory))
        let runner = ScriptRunner(services: services) { _ in throw RunFailure(.navigationFailed, message: "no engine") }
        let file = BankScript(
            "musterbank", named: "Musterbank",
            from: SourceDeclaration(
                .fints, at: "https://bank.example", settings: ["bank code": "12345678"], fetching: [.pdf]))
        let failure = await #expect(throws: RunFailure.self) {
            try await runner.run(file, parameters: ["month": ParameterValue(1), "year": ParameterValue(2026)])
        }
        #expect(failure?.message.contains("no source “fints”") == true)
    }
}
