/// An error in a JSON text, with its place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The text is not JSON (RFC 8259).
        case syntax
        /// The text is JSON but not I-JSON (RFC 7493): a duplicate name, a lone surrogate, a number that a double
        /// cannot hold.
        case notIJSON
        case tooLarge
        case tooDeep
        /// A value that has no JSON form, such as NaN.
        case unwritable
    }

    public let code: Code
    /// The offset of the byte where reading stopped, from 0.
    public let offset: Int
    /// The line, from 1.
    public let line: Int
    /// The column in bytes, from 1.
    public let column: Int
    public let message: String

    public var description: String { "line \(line), column \(column): \(message)" }
}

/// Limits on the text that a reader accepts.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects.
    public var depth: Int
    /// The size of the text in bytes.
    public var size: Int
    /// The number of values. A value takes far more memory than its few bytes of text.
    public var values: Int

    /// Defaults to 64 levels and 256 KiB (Secure Data Fetcher specification, section 15).
    public init(depth: Int = 64, size: Int = 256 << 10, values: Int = .max) {
        self.depth = depth
        self.size = size
        self.values = values
    }
}
