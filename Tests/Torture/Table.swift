import Clocks
import Foundation
import Synchronization

/// The result of one part.
struct Tally: Sendable {
    var tried = 0
    /// The number of cases that ended as they should.
    var survived = 0
    private(set) var lost = 0
    private(set) var doubled = 0
    /// Observations for the reader of the table.
    var seen = ""
    /// The reason why the part was skipped, if this machine cannot run it.
    var leftOut: String?
    var took = Duration.zero
    /// The faults, one line each.
    private(set) var troubles: [String] = []
    /// The number of faults that are only about time: what did not come before a limit may come on a machine that is less busy.
    private(set) var late = 0

    init(tried: Int = 0) { self.tried = tried }

    static func leftOut(_ reason: String) -> Tally {
        var row = Tally()
        row.leftOut = reason
        return row
    }

    /// The number of faults that no slowness explains, in the whole run: a part that throws leaves its own count behind.
    private static let certain = Mutex(0)
    static var certainFaults: Int { certain.withLock(\.self) }

    mutating func lose(_ trouble: String) {
        Self.certain.withLock { $0 += 1 }
        lost += 1
        troubles.append("lost: \(trouble)")
    }

    mutating func loseByTime(_ trouble: String) {
        late += 1
        lost += 1
        troubles.append("lost: \(trouble)")
    }

    mutating func double(_ trouble: String) {
        Self.certain.withLock { $0 += 1 }
        doubled += 1
        troubles.append("doubled: \(trouble)")
    }

    /// Records a fault that is neither a loss nor a duplicate.
    mutating func fault(_ trouble: String) {
        Self.certain.withLock { $0 += 1 }
        troubles.append(trouble)
    }

    mutating func add(_ findings: Findings) {
        for trouble in findings.lost { lose(trouble) }
        for trouble in findings.doubled { double(trouble) }
        for trouble in findings.faults { fault(trouble) }
    }

    /// Adds the faults of one round.
    mutating func addFaults(of round: Tally) {
        late += round.late
        lost += round.lost
        doubled += round.doubled
        troubles += round.troubles
    }

    var hasNoFault: Bool { lost == 0 && doubled == 0 && troubles.isEmpty }
    var isClean: Bool { hasNoFault && survived == tried }
    /// True if there are faults, and all are about time.
    var isLate: Bool { late > 0 && late == troubles.count }
}

/// The faults found on both sides.
struct Findings: Sendable {
    var lost: [String] = []
    var doubled: [String] = []
    var faults: [String] = []

    var isClean: Bool { lost.isEmpty && doubled.isEmpty && faults.isEmpty }
}

/// tried, survived, lost, doubled.
struct Table {
    private var rows: [(name: String, row: Tally)] = []
    /// The first times of parts that ran once more.
    private(set) var firstTimes: [(name: String, row: Tally)] = []

    mutating func remember(_ name: String, _ row: Tally) { firstTimes.append((name, row)) }

    mutating func add(_ name: String, _ row: Tally) { rows.append((name, row)) }

    var isClean: Bool { rows.allSatisfy { $0.row.leftOut != nil || $0.row.isClean } }

    var text: String {
        let head = Self.line("", ["tried", "survived", "lost", "doubled", "took"], "seen")
        let counted = rows.filter { $0.row.leftOut == nil }.map(\.row)
        var sum = Tally(tried: counted.map(\.tried).reduce(0, +))
        sum.survived = counted.map(\.survived).reduce(0, +)
        let total = Self.line(
            "all",
            [
                "\(sum.tried)", "\(sum.survived)", "\(counted.map(\.lost).reduce(0, +))",
                "\(counted.map(\.doubled).reduce(0, +))", "",
            ], isClean ? "nothing lost, nothing doubled" : "see above")
        let table = [head] + rows.flatMap { Self.lines($0.name, $0.row) } + [total]
        return (table + faults).joined(separator: "\n")
    }

    /// The faults once more, below the sum: the end of a long log is what is read first, and sometimes all that is kept.
    private var faults: [String] {
        let failed = rows.filter { $0.row.leftOut == nil && !$0.row.isClean }.map { ("Failed:", $0) }
        let remembered = firstTimes.map { ("Failed the first time, so a fault to mend:", $0) }
        return (failed + remembered).flatMap { head, fault in ["", head] + Self.lines(fault.name, fault.row) }
    }

    static func lines(_ name: String, _ row: Tally) -> [String] {
        if let reason = row.leftOut { return [line(name, ["-", "-", "-", "-", ""], "LEFT OUT: \(reason)")] }
        let counts = ["\(row.tried)", "\(row.survived)", "\(row.lost)", "\(row.doubled)", words(row.took)]
        let shown = row.troubles.prefix(12).map { "    ! \($0)" }
        let more = row.troubles.count - shown.count
        return [line(name, counts, row.seen)] + shown + (more > 0 ? ["    ! and \(more) more"] : [])
    }

    static func words(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds)
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }

    private static func line(_ name: String, _ counts: [String], _ seen: String) -> String {
        let name = name.padding(toLength: 34, withPad: " ", startingAt: 0)
        let columns = counts.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
        return "\(name)\(columns)  \(seen)"
    }
}
