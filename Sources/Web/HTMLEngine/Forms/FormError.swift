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
    /// True where the list has other months or years than the one that was to be chosen.
    package let isMissingPeriod: Bool

    init(_ code: Code, _ message: String, isMissingPeriod: Bool = false) {
        self.code = code
        self.message = message
        self.isMissingPeriod = isMissingPeriod
    }

    package var description: String { message }
}
