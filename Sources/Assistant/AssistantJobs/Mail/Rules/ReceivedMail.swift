import Foundation

/// The parts of a received message that the rules see: headers and labels, never a body.
package struct ReceivedMail: Sendable, Hashable {
    package let from: String
    package let subject: String
    package let receivedAt: Date
    /// Gmail's labels, such as `INBOX` or `CATEGORY_PROMOTIONS`.
    package let labels: [String]
    /// Other headers by their names in lower case.
    package let headers: [String: String]

    package init(
        from: String, subject: String, receivedAt: Date, labels: [String] = ["INBOX"], headers: [String: String] = [:]
    ) {
        self.from = from
        self.subject = subject
        self.receivedAt = receivedAt
        self.labels = labels
        self.headers = headers
    }

    package var sender: MailAddress? { MailAddress(from) }

    /// True for a message that waits in the user's inbox, and is not the user's own.
    package var isIncoming: Bool {
        labels.contains("INBOX") && !labels.contains { ["SENT", "DRAFT", "SPAM", "TRASH"].contains($0) }
    }

    /// True for mail to many: lists (RFC 2919, RFC 2369), automatic answers (RFC 3834) and Gmail's categories for them.
    package var isBulk: Bool {
        if labels.contains(where: { ["CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL", "CATEGORY_FORUMS"].contains($0) }) {
            return true
        }
        if headers["list-id"] != nil || headers["list-unsubscribe"] != nil { return true }
        if let automatic = word("auto-submitted"), automatic != "no" { return true }
        return ["bulk", "list", "junk"].contains(word("precedence"))
    }

    /// True when the sender asks for attention: `Importance: high` (RFC 2156), `Priority: urgent`, `X-Priority: 1`.
    package var saysImportant: Bool {
        word("importance") == "high" || word("priority") == "urgent" || word("x-msmail-priority") == "high"
            || word("x-priority") == "1"
    }

    /// True when the receiving server found that the sender's domain did not send this (DMARC, RFC 8601).
    package var isForged: Bool {
        guard let results = headers["authentication-results"] else { return false }
        return results.lowercased().contains(/\bdmarc\s*=\s*fail\b/)
    }

    /// Returns the first word of a header, in lower case.
    private func word(_ name: String) -> String? {
        headers[name]?.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }.first.map(String.init)
    }
}
