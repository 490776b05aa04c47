import Messages

/// A request that has ended, as a channel tells the person.
package struct RequestEnd: Sendable {
    package enum Outcome: Sendable, Hashable {
        case completed, denied, expired
        /// - Parameter code: the reason, if it is known.
        case failed(code: ErrorCode?)
    }

    package let id: RequestID
    /// Nil when the stored parameters cannot be read.
    package let subject: RequestSubject?
    package let outcome: Outcome
    /// The id of the channel's message that announced the request; nil when there was no such message.
    package let message: String?
    /// The name of the phone that ran the request, or that would have.
    package let phone: String

    package init(id: RequestID, subject: RequestSubject?, outcome: Outcome, message: String?, phone: String) {
        self.id = id
        self.subject = subject
        self.outcome = outcome
        self.message = message
        self.phone = phone
    }

    /// Returns one sentence for the person, such as “the statement of 2026-02 was denied (request …)”.
    func sentence(in text: OwnerText) -> String {
        var values = ["id": id.description]
        values["period"] = subject.map(text.words)
        let end: String
        switch outcome {
        case .completed: end = "completed"
        case .denied: end = "denied"
        case .expired: end = "expired"
        case .failed(let code):
            end = "failed"
            values["reason"] = text.reason(of: code)
        }
        let sentence = text("end.\(subject?.noun ?? "unknown")-\(end)", values)
        return isKnownAtPhone ? "\(sentence) \(text("end.next-step"))" : sentence
    }

    /// True for a failure that the phone has told, whose page has the next step: it knows nothing of what the broker found.
    private var isKnownAtPhone: Bool {
        guard case .failed(let code) = outcome else { return false }
        return code != .manifestVerificationFailed && code != .deviceRemoved
    }
}
