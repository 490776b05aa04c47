import Messages

/// A request that has ended, as a channel tells the person.
package struct RequestEnd: Sendable {
    package enum Outcome: Sendable, Hashable {
        case completed, denied, expired
        /// - Parameter reason: a sentence of the broker's own, never the bank's or the phone's words.
        case failed(reason: String)
    }

    package let id: RequestID
    /// Nil when the stored parameters cannot be read.
    package let subject: RequestSubject?
    package let outcome: Outcome
    /// The id of the channel's message that announced the request; nil when there was no such message.
    package let message: String?

    package init(id: RequestID, subject: RequestSubject?, outcome: Outcome, message: String?) {
        self.id = id
        self.subject = subject
        self.outcome = outcome
        self.message = message
    }

    /// One sentence for the person, such as “the statement of 2026-02 was denied (request …)”.
    var sentence: String {
        let what = subject.map { "the \($0.noun) of \($0.words)" } ?? "a request"
        let end =
            switch outcome {
            case .completed: "is complete"
            case .denied: "was denied"
            case .expired: "was not approved in time"
            case .failed(let reason): "failed: \(reason)"
            }
        return "Countersign: \(what) \(end) (request \(id))."
    }
}
