import Foundation

/// Something in a run that its script's author should look at, although the run went on.
public struct RunWarning: Sendable, Hashable {
    /// The step's number, from 1.
    public let step: Int
    /// Sanitised.
    public let message: String

    package init(step: Int, message: String) {
        self.step = step
        self.message = message
    }

    /// The step and the message.
    public var words: String { "step \(step): \(message)" }
}

/// A step of a script that found its element only by a later way, or warned otherwise, in some of the kept runs.
public struct ScriptDrift: Sendable, Hashable {
    public let bankID: String
    public let scriptDigest: String
    /// The step's number, from 1.
    public let step: Int
    /// The message of the latest run that warned.
    public let message: String
    /// The number of runs that warned, and of all runs of this script.
    public let runs: Int
    public let allRuns: Int
    /// When a run warned for the first and for the last time.
    public let since: Date
    public let latest: Date
}
