import Synchronization

/// Wakes whoever waits for a time, with as few of the system's timers as will do.
///
/// A limit is nearly always left long before its time. A timer of the system's for each would wake a thread to be set, and
/// be there up to its time all the same; here nothing is set for a time that is later than one that is waited for already.
package final class AlarmClock: Sendable {
    package static let shared = AlarmClock()

    private struct Sleeper {
        let time: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0
        /// The earliest time that a timer is set for.
        var alarm: ContinuousClock.Instant?

        /// - Returns: the time that a timer is to be set for, if none is that is as early.
        mutating func setAlarm(for time: ContinuousClock.Instant) -> ContinuousClock.Instant? {
            if let alarm, alarm <= time { return nil }
            alarm = time
            return time
        }
    }

    private let state = Mutex(State())

    /// How many wait.
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
                // A cancellation from before there was somebody to wake.
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
