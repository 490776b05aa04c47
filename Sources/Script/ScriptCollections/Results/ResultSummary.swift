import Encodings

/// The results of a script, as its collection publishes them.
package struct ResultSummary: Sendable, Hashable {
    /// Each is the last outcome of one key in one week.
    package let count: Int
    /// The newest week that has one.
    package let week: ISOWeek
    /// The outcomes of the newest weeks, with how often each occurred.
    package let recent: [FieldOutcome: Int]

    /// A script with fewer results has no summary: it would tell what one household did.
    package static let fewest = 3
    /// The weeks that count as the newest are so many that they have at least this number of results, by ``fewest`` keys.
    private static let recentFrom = 6
    private static let largestCount = 10_000_000

    /// Sums results up. Each key counts once in a week.
    ///
    /// - Returns: nil for fewer than ``fewest`` keys.
    package init?(_ results: [SignedFieldResult]) {
        guard let newest = results.map(\.result.week).max(), Set(results.map(\.key)).count >= Self.fewest else {
            return nil
        }
        count = results.count
        week = newest
        var recent: [FieldOutcome: Int] = [:]
        var keys: Set<String> = []
        for (_, ofWeek) in Dictionary(grouping: results, by: \.result.week).sorted(by: { $0.key > $1.key }) {
            guard recent.values.reduce(0, +) < Self.recentFrom || keys.count < Self.fewest else { break }
            for result in ofWeek { recent[result.result.outcome, default: 0] += 1 }
            keys.formUnion(ofWeek.map(\.key))
        }
        self.recent = recent
    }

    package var json: JSONValue {
        [
            "count": .number(Double(count)), "week": .string("\(week)"),
            "recent": .array(
                recent.sorted { $0.key < $1.key }.map { outcome, count in
                    .object(outcome.members.merging(["count": .number(Double(count))]) { $1 })
                }),
        ]
    }

    /// Reads what a collection says; nil for anything else.
    package init?(_ json: JSONValue?) {
        func number(_ json: JSONValue?) -> Int? {
            json?.intValue.flatMap { (1...Self.largestCount).contains($0) ? $0 : nil }
        }
        guard let json, let count = number(json["count"]),
            let week = json["week"]?.stringValue.flatMap({ ISOWeek($0) }),
            let list = json["recent"]?.arrayValue, !list.isEmpty, list.count <= 100
        else { return nil }
        var recent: [FieldOutcome: Int] = [:]
        for item in list {
            guard let outcome = FieldOutcome(item), let count = number(item["count"]), recent[outcome] == nil else {
                return nil
            }
            recent[outcome] = count
        }
        guard recent.values.reduce(0, +) <= count else { return nil }
        self.count = count
        self.week = week
        self.recent = recent
    }

    /// Such as “31 results, the last of 2026-W47; 4 of the last 6 ended with layout_changed at step 7”.
    package var words: String {
        let all = recent.values.reduce(0, +)
        let failed = recent.filter { $0.key != .statement }.sorted { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }
        let start = "\(count.counted("result")), the last of \(week)"
        guard !failed.isEmpty else {
            return start + (all == 1 ? "; it brought a statement" : "; the last \(all) all brought a statement")
        }
        let parts = failed.prefix(3).map { "\($0.value) of the last \(all) ended with \($0.key)" }
        return start + "; " + parts.joined(separator: ", ")
    }
}
