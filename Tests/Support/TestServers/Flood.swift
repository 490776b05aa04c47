import Foundation
import Synchronization

/// Strangers who call a server as often as it answers, while its owner works.
///
/// The strangers are of this machine, as the owner is, so that no limit by address tells them apart. Server, strangers and owner
/// share the processors of this process: a time that holds here holds beside a flood from the network.
package struct Flood: Sendable {
    /// The answers that the owner got.
    package struct Outcome: Sendable {
        package let server: String
        /// The calls of strangers that were answered or refused.
        package var strangers = 0
        package var times: [Duration] = []
        /// The calls of the owner that were not answered as they should be.
        package var failures: [String] = []

        /// The number of the owner's calls that were answered rightly within a second.
        package var prompt: Int { times.count { $0 <= .seconds(1) } }

        /// A row of the table: server, strangers' calls, owner's calls within a second, the 99th of 100, the slowest.
        package var row: String {
            let sorted = times.sorted()
            func milliseconds(_ time: Duration?) -> String {
                time.map { "\(Int($0 / .milliseconds(1))) ms" } ?? "-"
            }
            let late = sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
            return
                "flood | \(server.padding(toLength: 14, withPad: " ", startingAt: 0)) | \(strangers) strangers' calls | "
                + "owner \(prompt) of \(times.count + failures.count) within 1 s | 99 % \(milliseconds(late)) | "
                + "slowest \(milliseconds(sorted.last))"
        }
    }

    /// True on a machine that does nothing else: then a second is a second.
    package static let isMeasured = ProcessInfo.processInfo.environment["COUNTERSIGN_FLOODS"] == "1"

    private let server: String
    private let strangers: [@Sendable () async throws -> Void]

    /// - Parameter strangers: calls without proof, each made again and again by several strangers at once. An error is a refusal.
    package init(_ server: String, _ strangers: [@Sendable () async throws -> Void]) {
        self.server = server
        self.strangers = strangers
    }

    /// Lets the owner make a hundred calls beside the flood, and prints the row of the table.
    ///
    /// - Parameter owner: makes one call, and returns what was wrong with the answer; nil when nothing was.
    package func beside(_ owner: @escaping @Sendable (Int) async throws -> String?) async -> Outcome {
        let count = Counter()
        let outcome = await withTaskGroup(of: Void.self, returning: Outcome.self) { group in
            for number in 0..<Self.strangersAtOnce {
                group.addTask { [strangers] in
                    while !Task.isCancelled {
                        try? await strangers[number % strangers.count]()
                        count.add()
                        await Task.yield()
                    }
                }
            }
            // The flood has begun when the owner does.
            while count.value < 2 * Self.strangersAtOnce, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
            }
            var outcome = Outcome(server: server)
            for number in 0..<Self.calls {
                let started = ContinuousClock.now
                do {
                    if let trouble = try await owner(number) {
                        outcome.failures.append(trouble)
                    } else {
                        outcome.times.append(ContinuousClock.now - started)
                    }
                } catch {
                    outcome.failures.append("\(error)")
                }
                try? await Task.sleep(for: Self.pause)
            }
            group.cancelAll()
            return outcome
        }
        var whole = outcome
        whole.strangers = count.value
        print(whole.row)
        return whole
    }

    private static let strangersAtOnce = 24
    private static let calls = 100
    /// Slower than the limits of an honest client.
    private static let pause: Duration = .milliseconds(40)

    private final class Counter: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock(\.self) }
        func add() { number.withLock { $0 += 1 } }
    }
}
