/// A vault of tokens that could not be opened, read or changed.
package struct SecondFactorError: Error, Sendable, CustomStringConvertible {
    package struct Code: Sendable, Hashable {
        private enum Kind {
            case keyMissing, damaged, unsupportedVersion, invalidVersion, duplicateTokens, tooLarge, unreadable
            case unknownToken, ambiguous, exists, wrongPassphrase, notAnImport
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The vault is encrypted and its key is missing.
        package static let keyMissing = Code(.keyMissing)
        /// The vault was changed or was encrypted under another key. It is refused as a whole.
        package static let damaged = Code(.damaged)
        /// Written by a later version of this program.
        package static let unsupportedVersion = Code(.unsupportedVersion)
        package static let invalidVersion = Code(.invalidVersion)
        package static let duplicateTokens = Code(.duplicateTokens)
        package static let tooLarge = Code(.tooLarge)
        /// A file or folder cannot be read or written.
        package static let unreadable = Code(.unreadable)
        package static let unknownToken = Code(.unknownToken)
        /// A name that matches several tokens.
        package static let ambiguous = Code(.ambiguous)
        /// The vault already has this token.
        package static let exists = Code(.exists)
        package static let wrongPassphrase = Code(.wrongPassphrase)
        /// The text has no format that tokens can be read from.
        package static let notAnImport = Code(.notAnImport)
    }

    package let code: Code
    /// The place, what was found there and what to do. Never contains a secret or a code.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
