/// Why a text is not a token's URI that this program takes.
public struct OTPAuthError: Error, Sendable, Hashable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case notOTPAuth, unsupportedType, parameter, conflict, encoding, tooLong, noLabel }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Another scheme, or no URI at all.
        public static let notOTPAuth = Code(.notOTPAuth)
        /// A counter-based token, Steam's, or another that is not TOTP.
        public static let unsupportedType = Code(.unsupportedType)
        /// A parameter that is missing or out of range.
        public static let invalidParameter = Code(.parameter)
        /// A parameter that is there twice, with two values.
        public static let conflictingParameter = Code(.conflict)
        /// Percent escapes that are none, or do not make UTF-8.
        public static let invalidEncoding = Code(.encoding)
        public static let tooLong = Code(.tooLong)
        /// Neither issuer nor account.
        public static let missingLabel = Code(.noLabel)
    }

    public let code: Code
    /// Never holds any of the URI but the name of a parameter.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
