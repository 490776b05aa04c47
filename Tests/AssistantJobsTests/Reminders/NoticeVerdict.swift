import Foundation

/// The notices of one kind that devices showed, beside those that they should have shown.
struct NoticeVerdict {
    let expected: Int
    let lost: [String]
    let unexpected: [String]
    let shownTwice: [String]
    /// Sent again after a death, with the same key: a device shows one.
    let repeated: Int
    /// In seconds, from the due time, in their order.
    let latencies: [TimeInterval]
    var shareInTime: Double { Double(latencies.filter { $0 <= 60 }.count) / Double(max(1, latencies.count)) }

    /// - Parameters:
    ///   - due: the time of each notice that was to come.
    ///   - shown: what was sent for each.
    init<Key: Hashable>(due: [Key: Date], shown: [Key: [RememberingDevices.Sent]]) {
        expected = due.count
        lost = due.keys.filter { shown[$0] == nil }.map { "\($0)" }
        unexpected = shown.keys.filter { due[$0] == nil }.map { "\($0)" }
        shownTwice = shown.filter { Set($0.value.map(\.notice.collapseKey)).count > 1 }.map { "\($0.key)" }
        repeated = shown.values.reduce(0) { $0 + $1.count - 1 }
        latencies = due.compactMap { key, due in
            shown[key]?.map(\.time).min()?.timeIntervalSince(due)
        }.sorted()
    }
}
