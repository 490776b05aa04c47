/// A text or a secret, on its way from a vault or a script to a form, a header or a JSON body.
public enum Input: Sendable {
    case text(String)
    /// Never shown, and refused where it would end up in a URL.
    case secret(Secret)

    public var isSecret: Bool {
        if case .secret = self { true } else { false }
    }

    /// The text itself, also of a secret. Write it into the body or header that it is for, and keep no copy.
    package var revealed: String {
        switch self {
        case .text(let text): text
        case .secret(let secret): secret.revealed()
        }
    }

    /// Returns an input computed from this one; a secret stays a secret.
    public func map(_ transform: (String) throws -> String) rethrows -> Input {
        switch self {
        case .text(let text): .text(try transform(text))
        case .secret(let secret): .secret(try secret.map(transform))
        }
    }
}
