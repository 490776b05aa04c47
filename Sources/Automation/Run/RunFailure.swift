import BankScript
import Messages

/// Why a run ended without a statement: the specification's code, what lies behind it, where it was, what was seen and
/// what the page offered instead. Every text is sanitised.
public struct RunFailure: Error, Sendable, CustomStringConvertible {
    public var code: ErrorCode
    public var reason: FailureReason?
    /// What went wrong and what to do, for a person.
    public var message: String
    /// The bank's own words, as the page showed them.
    public var bankWords: String?
    public var place: StepPlace?
    public var page: PageGlimpse?
    /// The nearest things that the page has, each with a locator that would find it.
    public var candidates: [String]
    /// The page itself, to be kept as ``PageSnapshot/sanitised(mask:)`` gives it and no other way.
    public var snapshot: PageSnapshot?

    public struct PageGlimpse: Sendable, Hashable {
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
        place: StepPlace? = nil, page: PageGlimpse? = nil, candidates: [String] = []
    ) {
        self.code = code
        self.reason = reason
        self.message = message
        self.bankWords = bankWords
        self.place = place
        self.page = page
        self.candidates = candidates
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
