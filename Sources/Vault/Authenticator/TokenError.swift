/// The reason why a token is invalid.
public struct TokenError: Error, Sendable, Hashable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind { case emptyIssuer, emptyAccount, textTooLong, textUnprintable, secret, digits, period }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        package static let emptyIssuer = Code(.emptyIssuer)
        package static let emptyAccount = Code(.emptyAccount)
        /// An issuer of more than 100 characters, or an account of more than 200.
        package static let textTooLong = Code(.textTooLong)
        /// A line break or another control character in a name.
        package static let textUnprintable = Code(.textUnprintable)
        /// Not Base32, or of fewer than 16 or more than 1,024 characters.
        package static let invalidSecret = Code(.secret)
        /// Neither 6 nor 8.
        package static let invalidDigits = Code(.digits)
        package static let invalidPeriod = Code(.period)
    }

    package let code: Code
    /// A description of the problem and the allowed values. Never contains the secret.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
