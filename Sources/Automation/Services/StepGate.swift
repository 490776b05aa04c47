import BankScript

/// Where whoever runs a script by hand may hold it, look around, or end it.
public protocol StepGate: Sendable {
    /// Every step may pass, so none need be put into words.
    var isOpen: Bool { get }

    /// Returns when the step may begin.
    ///
    /// - Throws: ``RunFailure`` to end the run here; `finally` runs all the same.
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
