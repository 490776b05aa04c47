import Automation
import BankScript
import Clocks
import CurlClient
import DefaultBank
import Foundation
import HTMLAutomation
import HTMLEngine
import MockBank
import Synchronization
import TestCases
import TestSupport
import Testing

/// A visit to the mock bank that fetches several months.
@Suite("Fetching several months in one visit")
struct PeriodsTests {
    /// The outcome of each month, and the number of times that the password was sent to the bank.
    private final class Log: Sendable {
        private let state = Mutex((outcomes: [(MonthYear, String)](), signIns: 0))

        var outcomes: [(MonthYear, String)] { state.withLock { $0.outcomes } }
        var signIns: Int { state.withLock { $0.signIns } }

        func note(_ month: MonthYear, _ outcome: String) { state.withLock { $0.outcomes.append((month, outcome)) } }

        func note(_ exchange: Exchange) {
            guard exchange.method == "POST", exchange.url.hasSuffix("/login") else { return }
            state.withLock { $0.signIns += 1 }
        }
    }

    private struct Visit {
        let outcomes: [(MonthYear, String)]
        let signIns: Int
        let failure: RunFailure?
        let filesLeft: [String]
        let steps: [String]
    }

    /// Fetches the months and returns, for each, the digest's state or the reason why its document is missing.
    private func fetch(
        _ months: [MonthYear], in scenario: Scenario = .happy, script: BankScript = MeridianSavings.script,
        refusing refused: MonthYear? = nil, limit: Duration = .seconds(60)
    ) async throws -> Visit {
        var configuration = MockBankConfiguration()
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        configuration.scenario = scenario
        let bank = try await MockBankServer.start(configuration)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = Log()
        let steps = StepLog()
        let services = HostServices(
            credentials: TestCredentials(values: ["username": "robin.ashdown", "password": "correct horse"]),
            person: TestPerson(code: "123456"), downloads: FolderSink(folder.url), observer: steps)
        let engine = EngineConfiguration(observer: { log.note($0) })
        let runner = ScriptRunner(services: services, limit: limit) {
            try HTMLNavigationEngine(for: $0, configuration: engine)
        }
        var failure: RunFailure?
        do throws(RunFailure) {
            try await runner.run(script.served(at: bank.url, isForTesting: true), forEach: months) {
                (month, result) throws(RunFailure) in
                switch result {
                case .success(let document):
                    let isRight =
                        (try? [UInt8](Data(contentsOf: document.file)))
                        == MockBankServer.statement(month: month.month, year: month.year)
                    try? FileManager.default.removeItem(at: document.file)
                    log.note(month, isRight ? "right" : "wrong")
                case .failure(let failure): log.note(month, failure.reason?.rawValue ?? failure.code.rawValue)
                }
                if month == refused { throw RunFailure(.inboxWriteFailed, message: "the disk is full") }
            }
        } catch {
            failure = error
        }
        await bank.stop()
        return Visit(
            outcomes: log.outcomes, signIns: log.signIns, failure: failure,
            filesLeft: try FileManager.default.contentsOfDirectory(atPath: folder.url.path), steps: steps.words)
    }

    private func months(_ first: String, _ last: String) throws -> [MonthYear] {
        func month(_ text: String) throws -> MonthYear {
            let parts = text.split(separator: "-").compactMap { Int($0) }
            return try #require(MonthYear(month: parts[1], year: parts[0]))
        }
        return try month(first).through(try month(last))
    }

    @Test("signs in once, and brings the right document of each of 24 months")
    func twoYears() async throws {
        let wanted = try months("2024-11", "2026-10")
        let visit = try await fetch(wanted)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.0) == wanted)
        #expect(visit.outcomes.allSatisfy { $0.1 == "right" })
        #expect(visit.signIns == 1)
        #expect(visit.filesLeft.isEmpty)
        #expect(visit.steps.last == "✓ press button “Sign out”")
        #expect(visit.steps.count { $0.hasPrefix("✓ download") } == 24)
    }

    @Test("names a month without a statement, and brings the others")
    func gap() async throws {
        let visit = try await fetch(try months("2025-09", "2025-12"), in: .monthMissing)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.1) == ["right", "right", "statement_missing", "right"])
        #expect(visit.signIns == 1)
    }

    @Test("names a month whose year the bank's list does not offer, and brings the others")
    func unofferedYear() async throws {
        let wanted = try months("2018-12", "2018-12") + months("2025-01", "2025-02")
        let visit = try await fetch(wanted)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.1) == ["statement_missing", "right", "right"])
        #expect(visit.signIns == 1)
    }

    @Test("keeps what came when the bank ends the session, and does not sign in again")
    func sessionEnds() async throws {
        let visit = try await fetch(try months("2025-01", "2025-08"), in: .fiveDocuments)
        #expect(visit.failure?.reason == .sessionExpired)
        #expect(visit.outcomes.map(\.1) == Array(repeating: "right", count: 5))
        #expect(visit.signIns == 1)
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("tells of every page that comes instead of a PDF, and leaves no file")
    func pagesInstead() async throws {
        let visit = try await fetch(try months("2025-01", "2025-03"), in: .htmlInsteadOfPDF)
        #expect(visit.failure == nil)
        #expect(visit.outcomes.map(\.1) == ["not_a_pdf", "not_a_pdf", "not_a_pdf"])
        #expect(visit.filesLeft.isEmpty)
    }

    @Test("ends when a document cannot be kept")
    func cannotKeep() async throws {
        let wanted = try months("2025-01", "2025-04")
        let visit = try await fetch(wanted, refusing: wanted[1])
        #expect(visit.failure?.code == .inboxWriteFailed)
        #expect(visit.outcomes.count == 2)
        #expect(visit.steps.last == "✓ press button “Sign out”")
    }

    @Test("refuses a script that fetches one document, and a month that the script does not take")
    func refusals() async throws {
        var single = MeridianSavings.script
        single.steps = single.stepsForOnePeriod
        single.forEachPeriod = []
        let one = try await fetch(try months("2025-01", "2025-02"), script: single)
        #expect(one.failure?.message.contains("“for each period:”") == true)
        #expect(one.signIns == 0)
        var recent = MeridianSavings.script
        recent.parameters = [Parameter("month", in: 1...12), Parameter("year", in: 2025...2100)]
        let old = try await fetch(try months("2024-12", "2025-01"), script: recent)
        #expect(old.failure?.message == "“year” is 2024; the script accepts 2025 to 2100")
        #expect(old.signIns == 0)
    }

    @Test("gives each further month more time")
    func limit() async throws {
        // The limit of a single run would be over before the first page.
        let visit = try await fetch(try months("2025-01", "2025-02"), limit: .milliseconds(1))
        #expect(visit.failure == nil)
        #expect(visit.outcomes.count == 2)
    }

    @Test("counts months over the turn of a year")
    func monthsThrough() throws {
        #expect(try months("2025-11", "2026-02").map(\.description) == ["2025-11", "2025-12", "2026-01", "2026-02"])
        #expect(try months("2026-02", "2025-11").isEmpty)
        #expect(try months("2025-11", "2025-11").count == 1)
    }
}
