import BankScript

/// Where whoever runs a script by hand may hold it, look around, or end it.
public protocol StepGate: Sendable {
    /// Returns when the step may begin.
    ///
    /// - Throws: ``RunFailure`` to end the run here; `finally` runs all the same.
    func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws
}

/// Lets every step pass.
public struct OpenGate: StepGate {
    public init() {}

    public func pass(_ place: StepPlace, _ engine: any NavigationEngine) async throws {}
}
