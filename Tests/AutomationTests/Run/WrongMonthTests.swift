import Automation
import BankScript
import Clocks
import CurlClient
import Foundation
import HTMLAutomation
import Messages
import Synchronization
import TestCases
import TestSupport
import Testing

@Suite("A file of another month or kind than the one that is asked for")
struct WrongMonthTests {
    /// Fetches January to March of 2026, and returns each month's outcome and the warnings.
    private func fetch(
        _ kind: DocumentKind, _ content: @escaping @Sendable (_ month: Int) -> [UInt8]
    ) async throws -> (outcomes: [String], warnings: [String]) {
        let bank = StagedBank { line, _ in
            let month = line.split(separator: "/").last.flatMap { Int($0) }
            return month.map { .init(type: "application/octet-stream", body: content($0)) }
                ?? .page("Welcome")
        }
        let script = try BankScript(
            yaml: StagedRun.head + """
                steps:
                  - open: /
                for each period:
                  - download: { open: "/{{ month }}", as: \(kind.rawValue) }
                """, file: "months.yaml")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = StagedLog()
        let services = HostServices(
            credentials: TestCredentials(values: [:]), person: TestPerson(code: nil), downloads: FolderSink(folder.url),
            observer: log)
        let runner = ScriptRunner(services: services, limit: .seconds(60)) {
            try HTMLNavigationEngine(for: $0, configuration: EngineConfiguration(transport: bank))
        }
        let months = (1...3).compactMap { MonthYear(month: $0, year: 2026) }
        let places = try #require(DocumentSelection(periods: months, kinds: [kind])).places
        let outcomes = Mutex<[String]>([])
        try await runner.run(script, fetching: places) { (_, result) throws(RunFailure) in
            outcomes.withLock { outcomes in
                switch result {
                case .success: outcomes.append("here")
                case .failure(let failure): outcomes.append(failure.message)
                }
            }
        }
        return (outcomes.withLock { $0 }, log.record.warnings)
    }

    @Test("is refused where the file states its days, and ends no other month")
    func states() async throws {
        let fetched = try await fetch(.camt) {
            YearArchiveTests.camt(booked: $0 == 2 ? "2026-10-05" : "2026-0\($0)-05")
        }
        #expect(
            fetched.outcomes == [
                "here",
                "the file has no booking of 2026-02; look whether the steps name the month", "here",
            ])
        #expect(fetched.warnings.isEmpty)
    }

    @Test("is named with its kind where the script says another one, and no page is")
    func otherKind() async throws {
        let fetched = try await fetch(.camt) {
            Array(($0 == 1 ? "<title>Sorry</title>" : "Date;Amount\n2026-0\($0)-01;1,00\n").utf8)
        }
        #expect(!fetched.outcomes[0].contains("write as:"), "\(fetched.outcomes)")
        #expect(
            fetched.outcomes[1].hasSuffix(": it is a CSV file; if that is what you want, write as: csv"),
            "\(fetched.outcomes)")
    }

    @Test("is warned of where it states none, and comes for two months")
    func sameFile() async throws {
        let fetched = try await fetch(.csv) { Array("Date;Amount\n2026-10-0\($0 == 1 ? 1 : 2);1,00\n".utf8) }
        #expect(fetched.outcomes == ["here", "here", "here"])
        #expect(
            fetched.warnings == [
                "the csv of 2026-03 is the very file that came for 2026-02: look whether the steps name the month, "
                    + "or whether both months are empty"
            ])
    }
}
