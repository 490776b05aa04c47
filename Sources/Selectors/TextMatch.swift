/// How a text is compared with what a page says. White space is folded on both sides.
public enum TextMatch: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Case is ignored. Where anything has exactly this text, only that counts; otherwise what contains it.
    case name(String)
    /// The whole text, case and all.
    case exact(String)
    /// A regular expression that matches somewhere.
    case regex(String)

    public init(stringLiteral name: String) { self = .name(name) }

    public var description: String {
        switch self {
        case .name(let text): "“\(text)”"
        case .exact(let text): "exactly “\(text)”"
        case .regex(let pattern): "/\(pattern)/"
        }
    }
}
