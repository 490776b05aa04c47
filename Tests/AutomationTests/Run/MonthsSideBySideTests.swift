import Automation
import BankScript
import Clocks
import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import Messages
import Synchronization
import TestCases
import TestSupport
import Testing

import struct Crypto.SHA256

@Suite("Months side by side", .timeLimit(.minutes(4)))
struct MonthsSideBySideTests {
    /// A bank whose downloads wait for one another, and that counts how many are open at a time.
    private final class MonthsBank: HTTPTransport, RunObserver {
        private struct State {
            var hasFailure = false
            var open = 0
            var most = 0
            var begun: [String] = []
            /// The downloads that had begun when the held one ended.
            var besideHeld = 0
        }

        private let state = Mutex(State())
        /// Downloads are held back until so many have begun.
        private let company: Int
        private let pages: [String: String]
        /// The path of a download that is held back until the run has told of a failure, or until so many have begun.
        private let held: String?
        private let count: Int?

        /// - Parameter pages: the pages that answer some paths instead of documents.
        init(company: Int, pages: [String: String] = [:], holding held: String? = nil, until count: Int? = nil) {
            self.company = company
            self.pages = pages
            self.held = held
            self.count = count
        }

        func observe(_ event: RunEvent) {
            if case .stepFailed = event { state.withLock { $0.hasFailure = true } }
        }

        var most: Int { state.withLock { $0.most } }
        var begun: [String] { state.withLock { $0.begun } }
        var besideHeld: Int { state.withLock { $0.besideHeld } }

        private func head(_ request: HTTPRequest) -> HTTPResponseHead {
            HTTPResponseHead(
                status: 200, url: request.url, version: "1.1", headers: [HTTPHeader("Content-Type", "text/html")],
                timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            HTTPResponse(head: head(request), body: Array("<!doctype html><title>Bank</title>".utf8))
        }

        func download(_ request: HTTPRequest, to file: URL, limit: Int?) async throws -> HTTPDownload {
            let path = request.url.replacing("https://bank.example", with: "")
            let turn = state.withLock { state in
                state.open += 1
                state.begun.append(path)
                state.most = max(state.most, state.open)
                return state.begun.count
            }
            for _ in 0..<5000 where state.withLock({ $0.begun.count }) < company {
                try await Task.sleep(for: .milliseconds(2))
            }
            // Among those that run together, the later ones end first.
            try await Task.sleep(for: .milliseconds(turn <= company ? 10 * (company - turn + 1) : 1))
            while path == held, !state.withLock({ $0.hasFailure || $0.begun.count >= count ?? .max }) {
                try await Task.sleep(for: .milliseconds(2))
            }
            if path == held, count != nil {
                // Time for others to begin, which is what must not happen.
                try await Task.sleep(for: .milliseconds(100))
                state.withLock { $0.besideHeld = $0.begun.count }
            }
            state.withLock { $0.open -= 1 }
            let body = Array((pages[path] ?? "Path,Amount\n\(path),1.00\n").utf8)
            try Data(body).write(to: file)
            return HTTPDownload(
                head: head(request), file: file, bytes: body.count, sha256: Base16.encode(SHA256.hash(data: body)),
                firstBytes: body, lastBytes: body)
        }

        func cookies() async -> [HTTPCookie] { [] }
        func close() async {}
    }

    private static let login = "<!doctype html><title>Sign in</title><p>Your session has ended"

    private static func script(_ steps: String, atOnce: Int) throws -> BankScript {
        try BankScript(
            yaml: """
                bank: staged
                name: Staged Bank
                origins: [https://bank.example]
                at once: \(atOnce)
                interruptions:
                  - { when: { says: session has ended }, fail: NAVIGATION_FAILED, reason: session_expired }
                steps:
                  - open: /
                for each period:
                \(steps)
                """, file: "staged.yaml")
    }

    private static let oneKind = "  - download: { open: \"/{{ month }}.csv\", as: csv }"

    /// Fetches the CSV files of January to June, or to another month.
    private static func fetch(
        _ steps: String = oneKind, months count: Int = 6, atOnce: Int, at bank: MonthsBank
    ) async throws -> (outcomes: [String], failure: RunFailure?, filesLeft: [String]) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(code: nil), downloads: FolderSink(folder.url),
            observer: bank)
        let runner = ScriptRunner(services: services, limit: .seconds(60)) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank))
        }
        let months = (1...count).compactMap { MonthYear(month: $0, year: 2026) }
        let outcomes = Mutex<[String]>([])
        var failure: RunFailure?
        do throws(RunFailure) {
            try await runner.run(
                try! script(steps, atOnce: atOnce), fetching: months.map { DocumentPlace(period: $0, kind: .csv) }
            ) { (place, result) throws(RunFailure) in
                switch result {
                case .success(let document):
                    let text = (try? String(contentsOf: document.file, encoding: .utf8)) ?? ""
                    let isRight = text.contains("/\(place.period.month).csv,")
                    outcomes.withLock { $0.append("\(place.period.month) \(isRight ? "right" : "wrong")") }
                    try? FileManager.default.removeItem(at: document.file)
                case .failure(let failure):
                    outcomes.withLock { $0.append("\(place.period.month) \(failure.code.rawValue)") }
                }
            }
        } catch {
            failure = error
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return (outcomes.withLock { $0 }, failure, left)
    }

    private static let right = (1...6).map { "\($0) right" }

    @Test(
        "the window reaches over months, as wide as the script asks, and months keep their order",
        arguments: [1, 2, 3, 6])
    func window(count: Int) async throws {
        let bank = MonthsBank(company: count)
        let run = try await Self.fetch(atOnce: count, at: bank)
        #expect(run.failure == nil && run.outcomes == Self.right, "\(run)")
        #expect(bank.most == count && bank.begun.count == 6)
        #expect(run.filesLeft.isEmpty)
    }

    @Test("one slow download lets only so many others come before it")
    func slow() async throws {
        let bank = MonthsBank(company: 1, holding: "/1.csv", until: 8)
        let run = try await Self.fetch(months: 12, atOnce: 2, at: bank)
        #expect(run.failure == nil && run.outcomes == (1...12).map { "\($0) right" }, "\(run)")
        #expect(bank.besideHeld == 8 && bank.begun.count == 12)
    }

    @Test("months whose steps need a page follow one another")
    func needsPage() async throws {
        let bank = MonthsBank(company: 1)
        let run = try await Self.fetch("  - open: \"/{{ month }}\"\n\(Self.oneKind)", atOnce: 4, at: bank)
        #expect(run.failure == nil && run.outcomes == Self.right && bank.most == 1, "\(run)")
    }

    @Test("a month that is missing does not end the others")
    func missing() async throws {
        let bank = MonthsBank(company: 3, pages: ["/2.csv": "<!doctype html><title>Nothing</title><p>Not there"])
        let run = try await Self.fetch(atOnce: 3, at: bank)
        var expected = Self.right
        expected[1] = "2 PDF_DOWNLOAD_FAILED"
        #expect(run.failure == nil && run.outcomes == expected, "\(run)")
        #expect(run.filesLeft.isEmpty)
    }

    @Test("a session that ends begins no further month, and what had come is handed over")
    func ended() async throws {
        let bank = MonthsBank(company: 2, pages: ["/3.csv": Self.login], holding: "/4.csv")
        let run = try await Self.fetch(atOnce: 2, at: bank)
        #expect(run.failure?.reason == .sessionExpired, "\(String(describing: run.failure))")
        #expect(run.outcomes == ["1 right", "2 right", "4 right"])
        #expect(bank.begun.sorted() == ["/1.csv", "/2.csv", "/3.csv", "/4.csv"])
        #expect(run.filesLeft.isEmpty)
    }
}
