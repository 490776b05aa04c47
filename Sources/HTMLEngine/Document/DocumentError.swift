/// A page that is not made into a document, because of the limit that is named.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case tooLarge, tooDeep, tooManyElements, unparsable
    }

    public let code: Code
    public let message: String

    public var description: String { message }
}

/// How large a page may be. The limits are checked before the parser sees the page, in one pass over its bytes.
public struct DocumentLimits: Sendable, Hashable {
    /// Bytes.
    public var size = 16 << 20
    /// Elements open at once. Gumbo (0.10.1) takes time quadratic in it and cannot be stopped midway.
    public var depth = 4000
    public var elements = 400_000

    public init() {}
}
