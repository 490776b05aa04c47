import Synchronization

/// Wakes tasks at given times with as few system timers as possible.
///
/// Almost every time limit is cancelled long before it expires. One system timer per limit would wake a thread to arm it
/// and linger after cancellation. Here, a limit that ends after an armed timer arms nothing. It serves the budget of a
/// warm fetch (1.25 times bare libcurl): each exchange sets two limits.
package final class AlarmClock: Sendable {
    package static let shared = AlarmClock()

    private struct Sleeper {
        let time: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0
        /// The earliest time for which a timer is armed.
        var alarm: ContinuousClock.Instant?

        /// - Returns: the time to arm a timer for, or nil when an earlier one is armed already.
        mutating func setAlarm(for time: ContinuousClock.Instant) -> ContinuousClock.Instant? {
            if let alarm, alarm <= time { return nil }
            alarm = time
            return time
        }
    }

    private let state = Mutex(State())

    /// The number of waiting tasks.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// - Throws: `CancellationError`, at once when the task is cancelled.
    package func sleep(until time: ContinuousClock.Instant) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = state.withLock { state in
                    state.sleepers[number] = Sleeper(time: time, continuation: continuation)
                    return state.setAlarm(for: time)
                }
                if let timer { setTimer(for: timer) }
                // The task may have been cancelled before the sleeper was registered.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    private func setTimer(for time: ContinuousClock.Instant) {
        Task.detached {
            try? await ContinuousClock().sleep(until: time)
            self.ring()
        }
    }

    private func ring() {
        let now = ContinuousClock.now
        let (due, next) = state.withLock { state in
            let due = state.sleepers.filter { $0.value.time <= now }
            for number in due.keys { state.sleepers[number] = nil }
            if let alarm = state.alarm, alarm <= now { state.alarm = nil }
            let first = state.sleepers.values.lazy.map(\.time).min()
            return (due.values, first.flatMap { state.setAlarm(for: $0) })
        }
        if let next { setTimer(for: next) }
        for sleeper in due.sorted(by: { $0.time < $1.time }) { sleeper.continuation.resume() }
    }
}
