/// Something that lint has to say about a script.
public struct Finding: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable, Comparable {
        /// The script works today; it may not tomorrow.
        case warning
        /// The script cannot work, or must not.
        case error

        public static func < (left: Severity, right: Severity) -> Bool { left == .warning && right == .error }
    }

    /// The rule’s name, such as `unknown-name`.
    public var rule: String
    public var severity: Severity
    public var message: String
    public var hint: String?
    public var mark: Mark?

    public init(_ rule: String, _ severity: Severity, _ message: String, hint: String? = nil, at mark: Mark? = nil) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.hint = hint
        self.mark = mark
    }
}
