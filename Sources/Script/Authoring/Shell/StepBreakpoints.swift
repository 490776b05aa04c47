import Automation
import Synchronization

/// Ends a run after one step, and pauses it before another.
public final class StepBreakpoints: StepGate {
    private struct State {
        var last: StepPlace?
        var hasStopped = false
        var hasPaused = false
    }

    private let end: StepName?
    private let pause: StepName?
    private let look: @Sendable (StepPlace, any NavigationEngine) async throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - end: the last step to run.
    ///   - pause: the step before which `look` is called, once.
    public init(
        after end: StepName? = nil, pausingAt pause: StepName? = nil,
        _ look: @escaping @Sendable (StepPlace, any NavigationEngine) async throws -> Void = { _, _ in }
    ) {
        self.end = end
        self.pause = pause
        self.look = look
    }

    /// The run ended at a breakpoint, not by a failure.
    public var hasStopped: Bool { state.withLock { $0.hasStopped } }

    /// The run reached the step that was to be the last one.
    public var hasMetEnd: Bool { state.withLock { $0.last != nil } }

    public var hasPaused: Bool { state.withLock { $0.hasPaused } }

    public func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
        let (isOver, isPause) = state.withLock { state in
            if let last = state.last, place.depth <= last.depth {
                state.hasStopped = true
                return (true, false)
            }
            if state.last == nil, let end, end.matches(place) { state.last = place }
            guard let pause, !state.hasPaused, pause.matches(place) else { return (false, false) }
            state.hasPaused = true
            return (false, true)
        }
        if isOver { throw Self.failure }
        guard isPause else { return }
        do {
            try await look(place, engine)
        } catch is RunStopped {
            state.withLock { $0.hasStopped = true }
            throw Self.failure
        }
    }

    private static let failure = RunFailure(
        .navigationFailed, reason: .cancelled, message: "the run was stopped at a breakpoint")
}

/// Thrown in a pause to end the run.
package struct RunStopped: Error {
    package init() {}
}
