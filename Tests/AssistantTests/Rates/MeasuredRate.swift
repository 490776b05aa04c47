import Foundation

/// Calls a second, for the table in Benchmarks/ASSISTANT.md (`make simulate SIZES=rates`). `ASSISTANT_RATES` is the seconds of
/// each measurement; without it nothing is measured.
enum MeasuredRate {
    static let callers = 8
    static let seconds = ProcessInfo.processInfo.environment["ASSISTANT_RATES"].flatMap { Int($0) }

    /// Returns how many calls a second succeed when each caller begins a call as soon as its last one has ended.
    ///
    /// - Parameter call: is given the caller's number and how many calls it has made; returns true if it succeeded.
    static func calls(
        for seconds: Int, _ call: @escaping @Sendable (_ caller: Int, _ number: Int) async throws -> Bool
    ) async throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var (made, succeeded) = (0, 0)
                    while ContinuousClock.now < end {
                        if try await call(caller, made) { succeeded += 1 }
                        made += 1
                    }
                    return succeeded
                }
            }
            return try await group.reduce(0, +)
        }
        return count / seconds
    }

    /// Prints a row of the table.
    static func row(_ what: String, _ store: AssistantStage.Store, _ rate: Int, _ floor: Int, _ floorIs: String) {
        print("| \(what) | \(store.rawValue) | \(rate) | \(floor) | \(floorIs) |")
    }
}
