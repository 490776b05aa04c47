/// What goes into a field.
///
/// A string literal is a ``Template``: `"{{ year }}"` is the year. A credential is named, never spelled.
public enum Value: Sendable, Hashable, ExpressibleByStringInterpolation {
    case template(Template)
    /// One of the person's credentials for this bank, kept as a secret from vault to form field.
    case credential(String)
    /// A capture; a secret one stays a secret.
    case captured(String)

    public init(stringLiteral value: String) {
        self = .template(Template(stringLiteral: value))
    }

    public static let username = Value.credential("username")
    public static let password = Value.credential("password")
}
