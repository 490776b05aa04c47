/// A JSONPath that cannot be read, or that would do too much.
public struct JSONPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The query.
    public let path: String
    /// Where, in Unicode scalars from 0.
    public let offset: Int
    /// What was seen and what to do.
    public let message: String

    public var description: String { "JSONPath \(path.prefix(200)), offset \(offset): \(message)" }
}
