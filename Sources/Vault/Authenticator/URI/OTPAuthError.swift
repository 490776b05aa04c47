/// The reason why a text is not a token URI that this program supports.
public struct OTPAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case notOTPAuth, unsupportedType, parameter, conflict, encoding, tooLong, noLabel }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Another scheme, or not a URI.
        public static let notOTPAuth = Code(.notOTPAuth)
        /// A counter-based token, a Steam token, or another type that is not TOTP.
        public static let unsupportedType = Code(.unsupportedType)
        /// A parameter that is missing or out of range.
        public static let invalidParameter = Code(.parameter)
        /// A parameter that occurs twice with different values.
        public static let conflictingParameter = Code(.conflict)
        /// Malformed percent escapes, or ones that do not decode to UTF-8.
        public static let invalidEncoding = Code(.encoding)
        public static let tooLong = Code(.tooLong)
        /// Neither issuer nor account.
        public static let missingLabel = Code(.noLabel)
    }

    public let code: Code
    /// Contains no part of the URI except parameter names.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
