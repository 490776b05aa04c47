/// An action that a person could not have taken; the message says why, and what to do.
package struct FormError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// Disabled, read-only or hidden.
        case notUsable
        /// The control's kind does not fit the action.
        case wrongKind
        case tooLong
        /// The value is not in the form that the field accepts.
        case invalidValue
        case noSuchOption
        /// The form fails constraint validation.
        case incomplete
        /// A secret would become part of a URL.
        case secretInURL
        case noForm
    }

    package let code: Code
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
