import BankScript
import Messages

/// The reason why a run ended without a statement: the specification's code, the cause behind it, the step, the page, and
/// what the page offers instead. Every text is sanitised.
public struct RunFailure: Error, Sendable, CustomStringConvertible {
    public var code: ErrorCode
    public var reason: FailureReason?
    /// Tells a person what went wrong and what to do.
    public var message: String
    /// The bank's own words, as the page showed them.
    public var bankWords: String?
    public var place: StepPlace?
    public var page: PageReference?
    /// The most similar elements of the page, each with a locator that finds it.
    public var candidates: [String]
    /// The one-time codes that the bank refused in the run: after each it asked in the same field again.
    public var refusedCodes = 0
    /// True if the bank took a code in the run: a step found behind it what only a signed-in page has. ``refusedCodes``
    /// are then those after it.
    public var isCodeConfirmed = false
    /// True if the bank refused the last code that the run sent, so that nothing later in the run shows a sign-in.
    public var isLastCodeRefused = false
    /// True if the run may have sent a credential or a one-time code, so that the bank may have counted it.
    public var hasSentCredentials = false {
        didSet { tellsOfCredentials = true }
    }
    /// True if the one who made the failure said whether a credential was sent.
    var tellsOfCredentials = false
    /// True if the run sent a credential, and no step showed that the bank took it, so that nothing shows a sign-in.
    public var isSignInUnconfirmed = false
    /// True if no answer came to a credential that the run sent: the bank may have refused it unseen.
    public var isSignInUnanswered = false
    /// True if a list does not offer the month or the year, so that another month may still come.
    var isOneMonths = false
    /// True if a plug-in was left behind that may still hold the run or its engine.
    var leavesBehind = false
    /// The words for the code and the reason that the script itself declares, without a next step; nil
    /// where the script declares nothing.
    var declaredWords: String?
    /// True if the script itself declares the code and the reason, so that nothing may guess better ones.
    var isDeclared: Bool { declaredWords != nil }
    /// The page itself. Keep only what ``PageSnapshot/sanitised()`` returns.
    public var snapshot: (any PageSnapshot)?

    public struct PageReference: Sendable, Hashable {
        /// Without query and fragment.
        public var url: String
        public var title: String

        public init(url: String, title: String) {
            self.url = url
            self.title = title
        }
    }

    public init(
        _ code: ErrorCode, reason: FailureReason? = nil, message: String, bankWords: String? = nil,
        place: StepPlace? = nil, page: PageReference? = nil, candidates: [String] = []
    ) {
        self.code = code
        self.reason = reason
        self.message = message
        self.bankWords = bankWords
        self.place = place
        self.page = page
        self.candidates = candidates
    }

    /// Returns the failure with a dialog that opened while the run waited for something else.
    func naming(_ dialog: String?) -> RunFailure {
        guard let dialog else { return self }
        var failure = self
        // An error about dialogs without end has told the text.
        if !message.contains("“\(EngineError.wordsTold(ofDialog: dialog))”") {
            failure.message += "; " + EngineError.unnamed(dialog: dialog).message
        }
        return failure
    }

    public var description: String {
        var lines = ["\(code.rawValue)\(reason.map { " (\($0.rawValue))" } ?? ""): \(message)"]
        if let bankWords { lines.append("the bank says: “\(bankWords)”") }
        if let place { lines.append("at \(place.mark.map { "\($0)" } ?? "step \(place.number)"): \(place.words)") }
        if let page { lines.append("on “\(page.title)” <\(page.url)>") }
        if !candidates.isEmpty {
            lines.append("the page has:")
            lines += candidates.map { "  - \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
