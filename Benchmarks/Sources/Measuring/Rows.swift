import Foundation

/// The header of a table of figures and their limits.
public func printHead() {
    print("| what | measured | limit | |")
    print("|---|---|---|---|")
}

/// A ratio of two times, and whether it is within its limit.
public func printRow(
    _ what: String, _ ours: Duration, _ theirs: Duration, atMost most: Double? = nil, atLeast least: Double? = nil
) {
    printRow(
        what, "\(ratio(ours, theirs)) (\(ours.short) to \(theirs.short))", value: ours / theirs, atMost: most,
        atLeast: least)
}

/// A figure, and whether it is within its limit.
public func printRow(
    _ what: String, _ measured: String, value: Double, atMost most: Double? = nil, atLeast least: Double? = nil,
    unit: String = ""
) {
    var limit = "–"
    var verdict = ""
    if let most {
        limit = "at most \(short(most))\(unit)"
        verdict = value <= most ? "kept" : "**missed**"
    } else if let least {
        limit = "at least \(short(least))\(unit)"
        verdict = value >= least ? "kept" : "**missed**"
    }
    print("| \(what) | \(measured) | \(limit) | \(verdict) |")
}

/// “40”, “1.25”.
private func short(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\((number * 100).rounded() / 100)"
}
