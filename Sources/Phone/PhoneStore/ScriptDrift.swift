import Foundation

/// Something in a run that its script's author should look at, although the run went on.
package struct RunWarning: Sendable, Hashable {
    /// The step's number, from 1.
    package let step: Int
    /// Sanitised.
    package let message: String

    package init(step: Int, message: String) {
        self.step = step
        self.message = message
    }

    /// The step and the message.
    package var words: String { "step \(step): \(message)" }
}

/// A step of a script that found its element only by a later way, or warned otherwise, in some of the kept runs.
package struct ScriptDrift: Sendable, Hashable {
    package let bankID: String
    package let scriptDigest: String
    /// The step's number, from 1.
    package let step: Int
    /// The message of the latest run that warned.
    package let message: String
    /// The number of runs that warned, and of all runs of this script.
    package let runs: Int
    package let allRuns: Int
    /// When a run warned for the first and for the last time.
    package let since: Date
    package let latest: Date
}
