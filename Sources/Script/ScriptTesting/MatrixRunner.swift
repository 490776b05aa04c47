import Authoring
import Automation
import BankScript
import BrowserAutomation
import Clocks
import Crypto
import Encodings
import FileKinds
import Foundation
import HTMLAutomation
import Machine
import MockBank
import Secrets

/// Runs a matrix: each row against its own mock bank, several rows at a time.
public struct MatrixRunner: Sendable {
    /// The time limit of a row, so that a script that hangs becomes a failed row.
    public static let rowLimit: Duration = .seconds(60)

    private let simultaneous: Int
    private let rowLimit: Duration
    private let engine: ScriptEngine
    private let sharesNetwork: Bool
    /// Hears of each page that the mock banks make, by the name of its template and its HTML.
    package var onPage: (@Sendable (_ template: String, _ html: String) -> Void)?

    /// - Parameters:
    ///   - simultaneous: the number of rows to run at a time, at least 1.
    ///   - engine: the browser that runs every script.
    ///   - sharesNetwork: lets Chromium use this machine's network, where other users can take it over.
    public init(
        simultaneous: Int = 8, rowLimit: Duration = Self.rowLimit, engine: ScriptEngine = .html,
        sharesNetwork: Bool = false
    ) {
        self.engine = engine
        self.sharesNetwork = sharesNetwork
        self.simultaneous = max(1, simultaneous)
        self.rowLimit = rowLimit
    }

    /// Runs every row.
    ///
    /// - Parameter each: called for each row when it ends.
    /// - Throws: `CancellationError`, or a `FileError` if the folder for downloads cannot be created.
    public func run(
        _ matrix: ScriptMatrix, each: @escaping @Sendable (MatrixReport.Entry) -> Void = { _ in }
    ) async throws -> MatrixReport {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "matrix-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let began = ContinuousClock.now
        var entries: [Int: MatrixReport.Entry] = [:]
        try await withThrowingTaskGroup(of: (Int, MatrixReport.Entry).self) { group in
            let rows = matrix.rows.map { row in
                var row = row
                if engine == .browser, let other = row.expectedInBrowser { row.expected = other }
                return row
            }
            var waiting = rows.enumerated().makeIterator()
            func start() {
                guard let (index, row) = waiting.next() else { return }
                group.addTask { (index, try await entry(for: row, in: folder)) }
            }
            for _ in 0..<simultaneous { start() }
            while let (index, entry) = try await group.next() {
                entries[index] = entry
                each(entry)
                start()
            }
        }
        return MatrixReport(
            entries: matrix.rows.indices.compactMap { entries[$0] }, duration: ContinuousClock.now - began)
    }

    private func entry(for row: ScriptMatrix.Row, in folder: URL) async throws -> MatrixReport.Entry {
        let began = ContinuousClock.now
        let outcome: MatrixReport.Outcome
        let begun = BegunSteps()
        do {
            outcome = try await withTimeLimit(rowLimit, on: SystemClock()) {
                if let recording = row.recording { return try await replay(row, recording, in: folder, begun) }
                return try await perform(row, in: folder, begun)
            }
        } catch is TimeLimitExceeded {
            outcome = .broken("the row did not finish within \(rowLimit.inWords)")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            outcome = .broken("\(error)")
        }
        return MatrixReport.Entry(row: row, outcome: outcome, duration: ContinuousClock.now - began, steps: begun.marks)
    }

    /// Runs a row against a recording, without a network.
    private func replay(
        _ row: ScriptMatrix.Row, _ archive: HTTPArchive, in folder: URL, _ begun: BegunSteps
    ) async throws -> MatrixReport.Outcome {
        let transport = ReplayTransport(archive)
        let answers = ReplayAnswers()
        let clock = MatrixClock()
        let person: any HumanPrompt =
            row.person == .silent ? MatrixPerson(kind: .silent, code: "", clock: clock) : answers
        let services = HostServices(
            credentials: answers, person: person, downloads: FolderSink(folder), observer: begun, clock: clock)
        let runner = ScriptRunner(services: services) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: transport))
        }
        do {
            let document = try await runner.run(row.script.served(asIn: archive), parameters: row.parameters)
            try? FileManager.default.removeItem(at: document.file)
            return .statement(.init(sha256: document.sha256, bytes: document.bytes, isRight: true))
        } catch {
            // The script asked for something else than the bank was asked for: that says nothing about the bank.
            if let mismatch = transport.mismatches.first(where: { error.message.contains($0) }) {
                return .broken(mismatch)
            }
            return .failure(error)
        }
    }

    private func perform(_ row: ScriptMatrix.Row, in folder: URL, _ begun: BegunSteps) async throws
        -> MatrixReport.Outcome
    {
        var configuration = MockBankConfiguration()
        configuration.scenario = row.scenario ?? .happy
        configuration.usesTLS = configuration.scenario.needsTLS
        configuration.onPage = onPage
        let bank = try await MockBankServer.start(configuration)
        let outcome: MatrixReport.Outcome
        do {
            outcome = .statement(try await run(row, at: bank, configuration, in: folder, begun))
        } catch let failure as RunFailure {
            outcome = .failure(failure)
        } catch {
            await bank.stop()
            throw error
        }
        await bank.stop()
        try Task.checkCancellation()
        return outcome
    }

    /// Runs a row's script and compares the result with the bank's statement for the row's parameters.
    private func run(
        _ row: ScriptMatrix.Row, at bank: MockBankServer, _ configuration: MockBankConfiguration, in folder: URL,
        _ begun: BegunSteps
    ) async throws -> MatrixReport.Statement {
        let clock = MatrixClock()
        let person = MatrixPerson(kind: row.person, code: configuration.oneTimeCode, clock: clock)
        var services = HostServices(
            credentials: MatrixCustomer(configuration: configuration, bank: bank.url), person: person,
            downloads: FolderSink(folder), observer: begun, clock: clock)
        services.grants = MemoryGrants()
        var engine = EngineConfiguration()
        if let pem = bank.authorityPEM {
            let file = folder.appending(path: "authority-\(UUID().uuidString).pem")
            try Data(pem.utf8).write(to: file)
            engine.certificateAuthority = file
        }
        let runner = ScriptRunner(services: services) { [engine, configured = self.engine, sharesNetwork] script in
            guard configured == .browser || script.engine == .browser else {
                return try HTMLNavigationEngine(for: script, configuration: engine)
            }
            let authority = engine.certificateAuthority
            return try await BrowserNavigationEngine.start(
                for: script, configuration: .init(certificateAuthority: authority, sharesNetwork: sharesNetwork))
        }
        let hosts = row.script.origins.count > 1 ? [bank.url, bank.otherURL] : [bank.url]
        let script = row.script.served(at: hosts, isForTesting: true)
        if script.exchange?.needsOwner == true {
            _ = try await runner.connect(script, with: MatrixBrowser(bank: bank.url))
        }
        let document = try await runner.run(script, parameters: row.parameters)
        defer { try? FileManager.default.removeItem(at: document.file) }
        let (month, year) = (row.parameters["month"]?.number ?? 0, row.parameters["year"]?.number ?? 0)
        guard document.kind == .pdf else {
            // Other kinds come from an interface without statements. Their bookings are compared, to the cent.
            let bytes = try OpenedFile(document.file).bytes(atMost: FileLimits().size)
            let amounts = try TransactionFile.read(bytes).flatMap(\.transactions).map(\.amount.description)
            let right = MockBankServer.amounts(
                month: month, year: year, at: configuration.scenario)
            return .init(sha256: document.sha256, bytes: document.bytes, isRight: amounts.sorted() == right.sorted())
        }
        let right = MockBankServer.statement(month: month, year: year)
        let digest = Base16.encode(SHA256.hash(data: right))
        // A browser prints a page into other bytes each time. The run has checked that they are a PDF.
        let isRight = row.script.printsPage || document.sha256 == digest
        return .init(sha256: document.sha256, bytes: document.bytes, isRight: isRight)
    }
}
