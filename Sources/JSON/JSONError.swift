/// A text that is not the JSON that was asked for: where, what was seen.
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
    /// The byte at which reading stopped, from 0.
    public let offset: Int
    /// From 1.
    public let line: Int
    /// In bytes, from 1.
    public let column: Int
    public let message: String

    public var description: String { "line \(line), column \(column): \(message)" }
}

/// How much a reader accepts.
public struct JSONLimits: Sendable, Hashable {
    /// Nesting of arrays and objects.
    public var depth: Int
    /// Bytes of text.
    public var size: Int

    /// 64 levels and 256 KiB unless told otherwise (Secure Data Fetcher specification, section 15).
    public init(depth: Int = 64, size: Int = 256 << 10) {
        self.depth = depth
        self.size = size
    }
}
