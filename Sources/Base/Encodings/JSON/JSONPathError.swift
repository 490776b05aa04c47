/// An invalid JSONPath, or one whose evaluation exceeds a limit.
public struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The query.
    public let path: String
    /// The offset in Unicode scalars, from 0.
    public let offset: Int
    /// The problem, and what to do about it.
    public let message: String

    public var description: String { "JSONPath \(path.prefix(200)), offset \(offset): \(message)" }
}
