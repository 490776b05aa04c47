import CurlClient
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

    /// Returns how many requests a second are answered with status 200. Each caller keeps one connection.
    static func requests(
        for seconds: Int, _ request: @escaping @Sendable (_ caller: Int, _ number: Int) -> HTTPRequest
    ) async throws -> Int {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        let configuration = curl
        let sessions = (0..<callers).map { _ in CurlSession(configuration) }
        let rate = try await calls(for: seconds) { caller, number in
            try await sessions[caller].send(request(caller, number)).status == 200
        }
        for session in sessions { await session.close() }
        return rate
    }

    /// Prints a row of the table.
    static func row(_ what: String, _ store: AssistantStage.Store, _ rate: Int, _ floor: Int, _ floorIs: String) {
        print("| \(what) | \(store.rawValue) | \(rate) | \(floor) | \(floorIs) |")
    }
}
