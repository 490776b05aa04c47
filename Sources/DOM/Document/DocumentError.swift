/// A page that is not made into a document, because of the limit that is named.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case tooLarge, tooDeep, tooManyElements, tooManyAttributes, tooMuchMemory, tooMuchTime, unparsable
    }

    public let code: Code
    public let message: String

    public var description: String { message }
}

/// How large a page may be, and how much its parser may take.
///
/// Size is known beforehand. The others are enforced while the parser works, by what it makes and does, so that no
/// spelling of a page gets around them.
public struct DocumentLimits: Sendable, Hashable {
    /// Bytes.
    public var size = 16 << 20
    /// Elements open at once. Some tags are compared with each of them.
    public var depth = 5120
    public var elements = 400_000
    /// Of one element. Each is compared with each.
    public var attributes = 1024
    /// Bytes that the tree may take.
    public var memory = 256 << 20
    /// The processor time that the parser may take.
    public var time: Duration = .seconds(5)

    public init() {}
}
