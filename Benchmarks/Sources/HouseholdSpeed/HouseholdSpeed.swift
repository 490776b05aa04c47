import Foundation
import Measuring

/// Measures what a person at home waits for, with a household of `countersign up` and the mock bank.
///
///     HouseholdSpeed BENCHMARKS PYTHON
@main
struct HouseholdSpeed {
    private static let setups = 3
    private static let approvals = 7
    private static let starts = 15

    static func main() throws {
        guard CommandLine.arguments.count == 3 else { fatalError("usage: HouseholdSpeed BENCHMARKS PYTHON") }
        let benchmarks = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory).standardizedFileURL
        let products = benchmarks.appending(path: ".build/release", directoryHint: .isDirectory)
        let program = products.appending(path: "countersign")
        var ready: [Duration] = []
        for _ in 1..<setups {
            let household = try RunningHousehold(program)
            ready.append(household.readyAfter)
            household.stop()
        }
        let household = try RunningHousehold(program)
        defer { household.stop() }
        ready.append(household.readyAfter)
        let setup = median(ready)
        printRow(
            "`up --bank mock` on a machine with nothing, until it is ready", setup.short, value: setup / .seconds(1),
            atMost: 60, unit: " s")

        let launching = Launching(launch: products.appending(path: "Launch"))
        try measureApprovals(of: household, launching)
        try measureMonths(of: household, launching)
        try measureStarts(in: household, launching)
        let visit = benchmarks.appending(path: "Peers/inbox.py")
        try PageVisit(python: URL(filePath: CommandLine.arguments[2]), program: visit).measure(household)
    }

    /// The passphrase is in a file and the bank's code is typed at once, so that a person's own time does not count.
    private static func measureApprovals(of household: RunningHousehold, _ launching: Launching) throws {
        var (asked, approvals) = ([Duration](), [ApprovedRequest]())
        for month in 1...Self.approvals {
            let request = [household.program.path, "request", String(format: "2024-%02d", month)]
            asked.append(try launching.run(request, home: household.home).wall)
            approvals.append(try ApprovedRequest(household))
        }
        printTime("a request, until the broker has it", median(asked))
        printTime("an approval, until the bank asks for its code", median(approvals.map(\.untilCode)))
        printTime("an approval, until the document is delivered", median(approvals.map(\.untilDelivered)))
    }

    /// Compares months in one approval with an approval for each of them.
    private static func measureMonths(of household: RunningHousehold, _ launching: Launching) throws {
        let ranges = [["--from", "2021-01", "--to", "2021-12"], ["--from", "2019-01", "--to", "2020-12"]]
        var single = Duration.zero
        for (index, year) in [2022, 2023].enumerated() {
            for month in 1...12 {
                let name = String(format: "%d-%02d", year, month)
                _ = try launching.run([household.program.path, "request", name], home: household.home)
                single += try ApprovedRequest(household).untilDelivered
            }
            _ = try launching.run([household.program.path, "request"] + ranges[index], home: household.home)
            let together = try ApprovedRequest(household).untilDelivered
            let months = 12 * (index + 1)
            printRow("\(months) months in one approval, to \(months) approvals of a month each", together, single)
        }
    }

    private static func measureStarts(in household: RunningHousehold, _ launching: Launching) throws {
        for command in ["--version", "status", "requests", "doctor"] {
            let times = try (0..<starts).map { _ in
                try launching.run([household.program.path, command], home: household.home).wall
            }
            printTime("`countersign \(command)`, from start to end", median(times))
        }
    }

    private static func printTime(_ what: String, _ time: Duration) {
        printRow(what, time.short, value: time / .seconds(1))
    }
}
