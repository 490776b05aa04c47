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
/// Size is known beforehand. The others are enforced while the parser works, by what it allocates, so that no spelling
/// of a page gets around them.
public struct DocumentLimits: Sendable, Hashable {
    /// Bytes.
    public var size = 16 << 20
    /// Elements open at once. Gumbo goes through them for every character, so a large page may have less: 5120 up to
    /// 512 KB, and half of it for each doubling, down to 160.
    public var depth = 5120
    public var elements = 400_000
    /// Of one element. Gumbo compares each with each.
    public var attributes = 1024
    /// Bytes that the parser may hold; all of them go when the tree is made.
    public var memory = 256 << 20
    /// The processor time that the parser may take.
    public var time: Duration = .seconds(5)

    public init() {}

    /// The depth that a page of so many bytes may have.
    func depth(forSize size: Int) -> Int {
        var allowed = 5120
        var bytes = 512 << 10
        while bytes < size, allowed > 160 {
            allowed /= 2
            bytes *= 2
        }
        return min(depth, allowed)
    }
}
