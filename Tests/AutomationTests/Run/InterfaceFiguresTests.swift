import Automation
import BankScript
import Clocks
import Foundation
import HTMLAutomation
import Messages
import MockBank
import Synchronization
import TestCases
import TestSupport
import Testing

@Suite("A month's file of a bank's interface")
struct InterfaceFiguresTests {
    /// Runs a ready bank's script against its fake, with credentials instead of an exchange.
    ///
    /// - Returns: the file of November 2025.
    private func file(
        of script: String, at scenario: Scenario, _ credentials: (MockBankConfiguration) -> [String: String]
    ) async throws -> String {
        var configuration = MockBankConfiguration()
        configuration.scenario = scenario
        configuration.today = Date(timeIntervalSince1970: 1_795_000_000)
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let place = Repository.file("BankScripts/\(script).yaml")
        let values = credentials(configuration)
        let yaml = try String(contentsOf: place, encoding: .utf8)
            .replacing(/credentials: .*/, with: "credentials: [\(values.keys.sorted().joined(separator: ", "))]")
            .replacing(/exchange:\n.*\nconsent: .*\n/, with: "")
        let served = try BankScript(yaml: yaml, file: place.lastPathComponent).served(at: bank.url, isForTesting: true)
        let services = HostServices(
            credentials: TestCredentials(values: values), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory), clock: SetClock())
        let runner = ScriptRunner(services: services, limit: .seconds(600)) { try HTMLNavigationEngine(for: $0) }
        let document = try await runner.run(served, parameters: ["month": 11, "year": 2025])
        defer { try? FileManager.default.removeItem(at: document.file) }
        return try String(contentsOf: document.file, encoding: .utf8)
    }

    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    /// Returns by how much the balance of an account changed in the month, in cents, as the bank's own file says.
    private func change(of account: String) throws -> Int {
        let file = MockBankServer.file(account: account, month: 11, year: 2025, as: "mt940")
        let balances = String(decoding: file, as: UTF8.self).matches(of: /:6[02]F:([CD])\d{6}[A-Z]{3}(\d+),(\d\d)/).map
        {
            ($0.output.1 == "D" ? -1 : 1) * (Int($0.output.2 + $0.output.3) ?? 0)
        }
        try #require(balances.count == 2)
        return balances[1] - balances[0]
    }

    /// Returns the sum of a file's bookings in cents.
    private func sum(of file: String) -> Int {
        file.matches(of: /<Ntry><Amt Ccy="[A-Z]{3}">(\d+)\.(\d\d)<\/Amt><CdtDbtInd>([A-Z]{4})<\/CdtDbtInd><Sts>BOOK/)
            .reduce(0) {
                $0 + ($1.output.3 == "DBIT" ? -1 : 1) * (Int($1.output.1 + $1.output.2) ?? 0)
            }
    }

    @Test("of Up has the round-ups in the account that pays them, so that it adds up to the balance")
    func roundUps() async throws {
        let report = try await file(of: "Up/up", at: .up) { ["token": $0.token] }
        #expect(count("<Cdtr><Nm>Round Up</Nm></Cdtr>", in: report) > 2)
        #expect(try sum(of: report) == change(of: "everyday"))
    }

    /// The bookings of the same month in the bank's own file.
    private var booked: Int {
        let file = MockBankServer.file(account: "everyday", month: 11, year: 2025, as: "mt940")
        return count(":61:", in: String(decoding: file, as: UTF8.self))
    }

    @Test(
        "of Interactive Brokers has all that was booked in it, also a correction that counts from a day of another year"
    )
    func corrections() async throws {
        let report = try await file(of: "InteractiveBrokers/interactive-brokers", at: .interactiveBrokers) {
            ["token": $0.token, "query_id": "991407"]
        }
        #expect(count("<Sts>BOOK</Sts>", in: report) == booked && booked > 0)
        #expect(report.contains("<ValDt><Dt>2024-11-01</Dt></ValDt>"))
        #expect(!report.contains("<BookgDt><Dt>2024"))
    }

    /// Fetches months together from the fake of Interactive Brokers, which counts requests by the run's own clock.
    ///
    /// - Parameters:
    ///   - runs: the number of runs, one right after the other, whose requests stand in one line.
    ///   - change: changes the script's text.
    /// - Returns: the months that came, and the reason of the failure that ended the last run.
    private func months(
        _ months: ClosedRange<Int>, runs: Int = 1, changing change: (String) -> String = { $0 }
    ) async throws -> (came: [Int], reason: FailureReason?) {
        let clock = SetClock()
        var configuration = MockBankConfiguration()
        configuration.scenario = .interactiveBrokers
        configuration.today = clock.now
        configuration.countingClock = { clock.now }
        let bank = try await MockBankServer.start(configuration)
        defer { Task { await bank.stop() } }
        let place = Repository.file("BankScripts/InteractiveBrokers/interactive-brokers.yaml")
        let script = try BankScript(yaml: change(try String(contentsOf: place, encoding: .utf8)), file: "test")
        let values = ["token": configuration.token, "query_id": "991407"]
        let services = HostServices(
            credentials: TestCredentials(values: values), person: TestPerson(),
            downloads: FolderSink(FileManager.default.temporaryDirectory), clock: clock)
        let runner = ScriptRunner(services: services, limit: .seconds(600)) { try HTMLNavigationEngine(for: $0) }
        let places = months.compactMap { MonthYear(month: $0, year: 2025) }.map {
            DocumentPlace(period: $0, kind: .camt)
        }
        let came = Mutex<[Int]>([])
        do throws(RunFailure) {
            for _ in 0..<runs {
                try await runner.run(script.served(at: bank.url, isForTesting: true), fetching: places) {
                    (place, result) throws(RunFailure) in
                    guard case .success(let document) = result else { return }
                    came.withLock { $0.append(place.period.month) }
                    try? FileManager.default.removeItem(at: document.file)
                }
            }
        } catch {
            return (came.withLock { $0 }, error.reason)
        }
        return (came.withLock { $0 }, nil)
    }

    @Test("of Interactive Brokers comes with others of a run, which makes no more requests than the provider allows")
    func monthsTogether() async throws {
        let paced = try await months(9...11)
        #expect(paced.came == [9, 10, 11] && paced.reason == nil)
    }

    @Test(
        "of Interactive Brokers does not come where a run asks more often than once a second or ten times a minute",
        arguments: [("", 0), ("budget: 60 a minute\n", 2), ("budget: 11 a minute\n", 2)])
    func monthsTooFast(budget: String, count: Int) async throws {
        let fast = try await months(9...11) { $0.replacing("budget: 8 a minute\n", with: budget) }
        #expect(fast.came.count == count && fast.reason == .refusedByBank)
    }

    @Test("of Interactive Brokers comes in runs right after one another, which together keep to the provider's limit")
    func runsTogether() async throws {
        let paced = try await months(9...10, runs: 3)
        #expect(paced.came == [9, 10, 9, 10, 9, 10] && paced.reason == nil)
    }

    @Test("of Monzo has all that was booked in it, also a purchase that the shop sent in days later")
    func lateBookings() async throws {
        let report = try await file(of: "Monzo/monzo", at: .monzo) { ["access_token": $0.token] }
        #expect(count("<Sts>BOOK</Sts>", in: report) == booked)
        #expect(!report.contains("<BookgDt><Dt>2025-10"))
    }
}
