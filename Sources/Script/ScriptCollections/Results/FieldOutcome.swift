import BankScript
import Encodings

/// The end of a run, as far as it says something about a script: a statement came, or the bank's pages were not as the script has
/// them.
package enum FieldOutcome: Sendable, Hashable, Comparable, CustomStringConvertible {
    case statement
    /// - Parameter step: the number of the step that ended the run.
    case failed(FailureReason, step: Int)

    /// The reasons that are told. All others are about the person, such as a wrong password or a code that came too late, or about
    /// their network.
    package static let told: Set<FailureReason> = [
        .layoutChanged, .javascriptRequired, .foreignOrigin, .insecureContent, .keyMismatch, .notAPDF, .refusedByBank,
        .maintenance, .serverError,
    ]

    private static let steps = 1...999
    private static let success = "statement"

    /// Returns nil for a reason that is not told, or for a number that no script's step has.
    package init?(_ reason: FailureReason, step: Int) {
        guard Self.told.contains(reason), Self.steps.contains(step) else { return nil }
        self = .failed(reason, step: step)
    }

    package var members: [String: JSONValue] {
        switch self {
        case .statement: ["outcome": .string(Self.success)]
        case .failed(let reason, let step): ["outcome": .string(reason.rawValue), "step": .number(Double(step))]
        }
    }

    /// Reads ``members``; nil for anything else.
    package init?(_ json: JSONValue) {
        guard let name = json["outcome"]?.stringValue else { return nil }
        if name == Self.success, json["step"] == nil {
            self = .statement
        } else if let reason = FailureReason(rawValue: name), let step = json["step"]?.intValue {
            self.init(reason, step: step)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .statement: Self.success
        case .failed(let reason, let step): "\(reason.rawValue) at step \(step)"
        }
    }

    package static func < (left: FieldOutcome, right: FieldOutcome) -> Bool { "\(left)" < "\(right)" }
}
