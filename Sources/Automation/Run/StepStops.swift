import BankScript
import Synchronization
import TextMatching

/// Which step a person means: its number as it is printed, or some of its words.
public struct StepName: Sendable, Hashable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    func fits(_ place: StepPlace) -> Bool {
        if let number = Int(text) { return place.number == number && place.depth == 0 }
        return place.words.containsFolded(text)
    }
}

/// Ends a run after one step, and holds it before another.
public final class StepStops: StepGate {
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
    ///   - end: the last step that is done.
    ///   - pause: the step before which `look` is called, once.
    public init(
        after end: StepName? = nil, pausingAt pause: StepName? = nil,
        _ look: @escaping @Sendable (StepPlace, any NavigationEngine) async throws -> Void = { _, _ in }
    ) {
        self.end = end
        self.pause = pause
        self.look = look
    }

    /// The run was ended here, and not by a failure.
    public var hasStopped: Bool { state.withLock { $0.hasStopped } }

    /// The step that was to be the last one has been come to.
    public var hasMetEnd: Bool { state.withLock { $0.last != nil } }

    public var hasPaused: Bool { state.withLock { $0.hasPaused } }

    public func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {
        let (isOver, isPause) = state.withLock { state in
            if let last = state.last, place.depth <= last.depth {
                state.hasStopped = true
                return (true, false)
            }
            if state.last == nil, let end, end.fits(place) { state.last = place }
            guard let pause, !state.hasPaused, pause.fits(place) else { return (false, false) }
            state.hasPaused = true
            return (false, true)
        }
        if isOver { throw Self.stopped }
        guard isPause else { return }
        do {
            try await look(place, engine)
        } catch is RunStopped {
            state.withLock { $0.hasStopped = true }
            throw Self.stopped
        }
    }

    private static let stopped = RunFailure(
        .navigationFailed, reason: .cancelled, message: "the run was stopped here, as it was asked to")
}

/// Thrown by whoever looks around in a pause and wants the run to end.
public struct RunStopped: Error {
    public init() {}
}
