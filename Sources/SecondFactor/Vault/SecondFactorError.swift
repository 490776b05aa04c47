/// A vault of tokens that could not be opened, read or changed.
public struct SecondFactorError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind {
            case keyMissing, damaged, unsupportedVersion, invalidVersion, duplicateTokens, tooLarge, unreadable
            case unknownToken, ambiguous, exists, wrongPassphrase, notAnImport
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// There is an encrypted vault, and no key for it.
        public static let keyMissing = Code(.keyMissing)
        /// Not what was encrypted under this key: refused as a whole.
        public static let damaged = Code(.damaged)
        /// Written by a later version of this program.
        public static let unsupportedVersion = Code(.unsupportedVersion)
        public static let invalidVersion = Code(.invalidVersion)
        public static let duplicateTokens = Code(.duplicateTokens)
        public static let tooLarge = Code(.tooLarge)
        /// A file or folder that the system does not let be read or written.
        public static let unreadable = Code(.unreadable)
        public static let unknownToken = Code(.unknownToken)
        /// A name that fits several tokens.
        public static let ambiguous = Code(.ambiguous)
        /// There is such a token already.
        public static let exists = Code(.exists)
        public static let wrongPassphrase = Code(.wrongPassphrase)
        /// A text of no format that tokens can be read from.
        public static let notAnImport = Code(.notAnImport)
    }

    public let code: Code
    /// Where, what was seen and what to do. Never holds a secret or a code.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
