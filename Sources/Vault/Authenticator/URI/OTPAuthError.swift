/// The reason why a text is not a token URI that this program supports.
package struct OTPAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind { case notOTPAuth, unsupportedType, parameter, conflict, encoding, tooLong, noLabel }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Another scheme, or not a URI.
        package static let notOTPAuth = Code(.notOTPAuth)
        /// A counter-based token, a Steam token, or another type that is not TOTP.
        package static let unsupportedType = Code(.unsupportedType)
        /// A parameter that is missing or out of range.
        package static let invalidParameter = Code(.parameter)
        /// A parameter that occurs twice with different values.
        package static let conflictingParameter = Code(.conflict)
        /// Malformed percent escapes, or ones that do not decode to UTF-8.
        package static let invalidEncoding = Code(.encoding)
        package static let tooLong = Code(.tooLong)
        /// Neither issuer nor account.
        package static let missingLabel = Code(.noLabel)
    }

    package let code: Code
    /// Contains no part of the URI except parameter names.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
