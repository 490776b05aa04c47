import BankScript

/// Decides before each step whether the run continues, so that a person can pause it, look around, or end it.
public protocol StepGate: Sendable {
    /// True when every step passes, so that no step has to be put into words.
    var isOpen: Bool { get }

    /// Returns when the step may begin.
    ///
    /// - Throws: ``RunFailure`` to end the run here; `finally` still runs.
    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws
}

extension StepGate {
    public var isOpen: Bool { false }
}

/// Lets every step pass.
public struct OpenGate: StepGate {
    public init() {}

    public var isOpen: Bool { true }

    public func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {}
}
