import Automation
import BankScript
import Clocks
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import Messages
import Secrets
import Selectors
import Synchronization
import TestCases
import TestSupport
import Testing

import struct Crypto.SHA256

@Suite("Downloads side by side", .timeLimit(.minutes(4)))
struct SideBySideTests {
    /// A bank whose downloads wait for one another, and that counts how many are open at a time.
    private final class CountingBank: HTTPTransport {
        private struct State {
            var open = 0
            var most = 0
            var begun = 0
            var ended: [String] = []
            var bodies = 0
            var bodiesInCompany = 0
        }

        private let state = Mutex(State())
        /// Downloads are held back until so many have begun.
        private let company: Int
        private let missing: Set<String>
        /// The number of requests with a body that were open beside another.
        var bodiesInCompany: Int { state.withLock { $0.bodiesInCompany } }

        init(company: Int, missing: Set<String> = []) {
            self.company = company
            self.missing = missing
        }

        var most: Int { state.withLock { $0.most } }
        /// The kinds in the order in which their downloads ended.
        var ended: [String] { state.withLock { $0.ended } }

        private func head(_ request: HTTPRequest, _ status: Int) -> HTTPResponseHead {
            HTTPResponseHead(
                status: status, url: request.url, version: "1.1", headers: [HTTPHeader("Content-Type", "text/html")],
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            HTTPResponse(head: head(request, 200), body: Array("<!doctype html><title>Bank</title>".utf8))
        }

        func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
            let kind = String(request.url.split(separator: ".").last ?? "")
            state.withLock { state in
                state.open += 1
                state.begun += 1
                state.most = max(state.most, state.open)
                if request.method != "GET" { state.bodies += 1 }
                if state.bodies > 0, state.open > 1 { state.bodiesInCompany += 1 }
            }
            try await wait { $0.begun >= company }
            // Time for another one to begin.
            try await Task.sleep(for: .milliseconds(20))
            // Among those that run together, the later ones of the script end first.
            let place = SideBySideTests.kinds.firstIndex { $0.rawValue == kind } ?? company
            try await wait { $0.ended.count >= company - 1 - place }
            let text = missing.contains(kind) ? "<p>not there</p>" : SideBySideTests.contents[kind] ?? ""
            state.withLock { state in
                state.open -= 1
                if request.method != "GET" { state.bodies -= 1 }
                state.ended.append(kind)
            }
            let body = Array(text.utf8)
            try Data(body).write(to: file)
            return HTTPDownload(
                head: head(request, missing.contains(kind) ? 404 : 200), file: file, bytes: body.count,
                sha256: Base16.encode(SHA256.hash(data: body)), firstBytes: body, lastBytes: body)
        }

        /// Waits until the bank's state is as it should be, or ten seconds are over.
        private func wait(until isRight: (State) -> Bool) async throws {
            for _ in 0..<5000 where !state.withLock({ isRight($0) }) {
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        func cookies() async -> [HTTPCookie] { [] }
        func close() async {}
    }

    private static let contents = [
        "pdf": "%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n", "csv": "Date,Amount\n2026-01-01,1.00\n",
        "qif": "!Type:Bank\nD2025-03-01\nT-1.00\nPShop\n^\n", "html": "<!doctype html><title>March</title><p>Statement",
    ]
    private static let kinds: [DocumentKind] = [.csv, .html, .pdf, .qif]

    /// - Parameter posting: the kind that is asked for by a request with a body.
    private static func script(atOnce: Int, posting: DocumentKind? = nil) throws -> BankScript {
        try BankScript(
            yaml: """
                bank: staged
                name: Staged Bank
                origins: [https://bank.example]
                at once: \(atOnce)
                steps:
                  - open: /
                for each period:
                  - open: "/{{ year }}/{{ month }}"
                  - download: { open: "/{{ month }}.csv", as: csv }
                  - download: { \(posting == .html ? "request: { POST: \"/{{ month }}.html\", body: { a: b } }" : "open: \"/{{ month }}.html\""), as: html }
                  - download: { open: "/{{ month }}.pdf" }
                  - download: { open: "/{{ month }}.qif", as: qif }
                """, file: "staged.yaml")
    }

    /// Fetches every kind of one month.
    ///
    /// - Returns: the outcome of each document as it is received, the failure of the run, and the files that are left.
    private static func fetch(
        atOnce: Int, at bank: CountingBank, isSequential: Bool = false, posting: DocumentKind? = nil
    ) async throws -> (outcomes: [String], failure: RunFailure?, filesLeft: [String], steps: [String]) {
        let folder = try TemporaryFolder()
        let steps = StepLog()
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(code: nil), downloads: FolderSink(folder.url),
            observer: steps)
        let runner = ScriptRunner(services: services, limit: .seconds(60)) { script in
            let engine = try HTMLNavigationEngine(for: script, configuration: EngineConfiguration(transport: bank))
            return isSequential ? OneAfterAnother(engine: engine) : engine
        }
        let month = try #require(MonthYear(month: 3, year: 2026))
        let outcomes = Mutex<[String]>([])
        var failure: RunFailure?
        let script = try script(atOnce: atOnce, posting: posting)
        do throws(RunFailure) {
            try await runner.run(
                script, fetching: kinds.map { DocumentPlace(period: month, kind: $0) }
            ) { (place, result) throws(RunFailure) in
                switch result {
                case .success(let document):
                    let text = try? String(contentsOf: document.file, encoding: .utf8)
                    let isRight = text?.contains(Self.contents[place.kind.rawValue]?.suffix(9) ?? "?") == true
                    outcomes.withLock { $0.append("\(place.kind.rawValue) \(isRight ? "right" : "wrong")") }
                    try? FileManager.default.removeItem(at: document.file)
                case .failure(let failure):
                    outcomes.withLock { $0.append("\(place.kind.rawValue) \(failure.code.rawValue)") }
                }
            }
        } catch {
            failure = error
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return (outcomes.withLock { $0 }, failure, left, steps.words)
    }

    @Test("the window is as wide as the script asks, and never wider", arguments: [1, 2, 3, 4, 6])
    func window(count: Int) async throws {
        let bank = CountingBank(company: min(count, 4))
        let run = try await Self.fetch(atOnce: count, at: bank)
        #expect(run.failure == nil)
        #expect(bank.most == min(count, 4))
        #expect(run.outcomes == ["csv right", "html right", "pdf right", "qif right"])
        #expect(run.filesLeft.isEmpty)
    }

    @Test("a download that sends a body runs alone, so that a redirect cannot repeat it uncounted")
    func bodyAlone() async throws {
        let bank = CountingBank(company: 1)
        let run = try await Self.fetch(atOnce: 4, at: bank, posting: .html)
        #expect(run.failure == nil)
        #expect(run.outcomes == ["csv right", "html right", "pdf right", "qif right"])
        #expect(bank.bodiesInCompany == 0 && bank.most > 1)
    }

    @Test("documents are received and told of in the script's order, whichever ends first")
    func order() async throws {
        let bank = CountingBank(company: 4)
        let run = try await Self.fetch(atOnce: 4, at: bank)
        #expect(bank.ended == ["qif", "pdf", "html", "csv"])
        #expect(run.outcomes == ["csv right", "html right", "pdf right", "qif right"])
        let told = run.steps.filter { $0.contains("download") }
        #expect(told.count == 4 && told[0].contains("csv") && told[3].contains("qif"), "\(told)")
    }

    @Test("one that is missing does not end the others")
    func missing() async throws {
        let bank = CountingBank(company: 3, missing: ["html"])
        let run = try await Self.fetch(atOnce: 3, at: bank)
        #expect(run.failure == nil)
        #expect(run.outcomes == ["csv right", "html PDF_DOWNLOAD_FAILED", "pdf right", "qif right"])
        #expect(run.filesLeft.isEmpty)
    }

    @Test("an engine that does not say it can downloads one file after another")
    func sequential() async throws {
        let bank = CountingBank(company: 1)
        let run = try await Self.fetch(atOnce: 4, at: bank, isSequential: true)
        #expect(bank.most == 1)
        #expect(bank.ended == ["csv", "html", "pdf", "qif"])
        #expect(run.outcomes == ["csv right", "html right", "pdf right", "qif right"])
    }

    @Test("a number beyond 1 to 6 is refused", arguments: ["0", "7", "many", "2.5"])
    func range(text: String) throws {
        let error = #expect(throws: ScriptSyntaxError.self) {
            try BankScript(
                yaml: "bank: a\nname: A\norigins: [https://bank.example]\nat once: \(text)\nsteps: [open: /]\n",
                file: "a.yaml")
        }
        #expect(error?.message == "“at once” must be a number from 1 to 6")
    }
}

/// An engine that passes on what these scripts use, and leaves out that downloads may overlap.
private struct OneAfterAnother: NavigationEngine {
    let engine: HTMLNavigationEngine

    func open(_ reference: String) async throws { try await engine.open(reference) }
    func follow(_ link: Locator) async throws { try await engine.follow(link) }
    func fill(_ field: Locator, with input: Input) async throws { try await engine.fill(field, with: input) }
    func choose(_ option: String, in list: Locator) async throws { try await engine.choose(option, in: list) }
    func check(_ box: Locator, _ isOn: Bool) async throws { try await engine.check(box, isOn) }
    func press(_ button: Locator) async throws { try await engine.press(button) }
    func submit(formOf field: Locator) async throws { try await engine.submit(formOf: field) }
    func enter(frame: Locator) async throws { try await engine.enter(frame: frame) }
    func reload() async throws { try await engine.reload() }
    func texts(_ locator: Locator) async throws -> [String] { try await engine.texts(locator) }
    func text(of locator: Locator) async throws -> String { try await engine.text(of: locator) }
    func attribute(_ name: String, of locator: Locator) async throws -> String? {
        try await engine.attribute(name, of: locator)
    }
    func picture(_ image: Locator) async throws -> Prompt.Picture { try await engine.picture(image) }
    func page() async -> EnginePage? { await engine.page() }
    func cookies() async -> [(name: String, value: String)] { await engine.cookies() }
    func request(_ request: EngineRequest) async throws -> EngineAnswer { try await engine.request(request) }
    func download(_ source: EngineDownload, to file: URL, limit: Int) async throws -> EngineFile {
        try await engine.download(source, to: file, limit: limit)
    }
    func close() async { await engine.close() }
}
