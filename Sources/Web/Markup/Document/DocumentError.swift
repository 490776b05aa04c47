/// A page that exceeds a limit of its parser; the message names the limit.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case tooLarge, tooDeep, tooManyElements, tooManyAttributes, tooMuchMemory, tooMuchTime, unparsable
    }

    public let code: Code
    public let message: String

    public var description: String { message }
}

/// Limits on the size of a page and on what its parser may use.
///
/// The size is known beforehand. The parser enforces the others by what it creates and does, so no spelling of a page
/// gets around them.
public struct DocumentLimits: Sendable, Hashable {
    /// Bytes.
    public var size = 16 << 20
    /// Elements open at the same time. Some tags are compared with each of them.
    public var depth = 5120
    public var elements = 400_000
    /// Attributes of one element. Each is compared with each.
    public var attributes = 1024
    /// Bytes of the tree.
    public var memory = 256 << 20
    /// The parser's processor time.
    public var time: Duration = .seconds(5)

    public init() {}
}
