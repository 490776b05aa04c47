/// The reason why the engine could not do what it was told, in terms that are the same for every engine.
public struct EngineError: Error, Sendable {
    public enum Kind: Sendable, Hashable {
        case notFound
        case ambiguous
        /// A person could not fill this field either.
        case notFillable
        case foreignOrigin
        /// A secure page leads over plain HTTP.
        case insecure
        case needsJavaScript
        case network
        /// The script pins public keys, and the server's is a different one.
        case keyMismatch
        case timeout
        case tooLarge
        case notHTML
        case invalidLocator
        case refused
        /// A document came, and could not be written to this machine's disk.
        case notKept
        case cancelled
        case other
    }

    public var kind: Kind
    public var message: String
    public var candidates: [String]
    /// True where a list was found and does not offer what the script chooses.
    public var isMissingOption = false
    /// True where that list offers other months or years.
    public var isMissingPeriod = false
    /// True if the bank may have received what the engine was to send, though no page or answer came of it. A bank counts a
    /// wrong password that it has received, so an engine says false only where it knows that nothing has left.
    public var mayHaveArrived: Bool

    public init(_ kind: Kind, _ message: String, candidates: [String] = []) {
        self.kind = kind
        self.message = message
        self.candidates = candidates
        mayHaveArrived =
            switch kind {
            case .notFound, .ambiguous, .notFillable, .invalidLocator, .needsJavaScript, .keyMismatch: false
            default: true
            }
    }

    /// Returns the error about a dialog that the page opened and that no rule of the script names.
    package static func unnamed(dialog text: String) -> EngineError {
        EngineError(
            .refused,
            "the page opened a dialog, “\(wordsTold(ofDialog: text))”, which was dismissed; "
                + "add an answer for it under “dialogs”"
        )
    }

    /// Returns the words of a dialog as an error has them: without secrets and long numbers, at most 200 characters.
    package static func wordsTold(ofDialog text: String) -> String { String(sanitised(text).prefix(200)) }
}
