/// Something that a person could not have filled, pressed or chosen either; says why and what to do.
public struct FormError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// Disabled, read-only or hidden.
        case notUsable
        /// Another kind of control than the step is for.
        case wrongKind
        case tooLong
        /// Not a number, date or line that the field takes.
        case invalidValue
        case noSuchOption
        /// The page does not let the form go as it is filled.
        case incomplete
        /// A secret would enter a URL.
        case secretInURL
        case noForm
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
