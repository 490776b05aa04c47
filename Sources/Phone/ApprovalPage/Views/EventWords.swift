import Encodings
import PhoneStore
import Storage

/// A record of the audit log as a sentence of the page.
enum EventWords {
    /// Returns the sentence; the event's name for an event that has none.
    ///
    /// - Parameter bankName: returns a bank's name by its id.
    static func of(_ event: AuditEvent, bankName: (String) -> String) -> String {
        let key = "event.\(event.type)"
        guard PageText.sentences.has(key) else { return event.type.inLine(limit: 100) }
        func text(_ member: String) -> String? {
            event.details[member]?.stringValue.map { ReportText.cleaned($0, limit: 200) }
        }
        var values = ["bank": text("bank_id").map(bankName) ?? PageText.of("event-word.bank")]
        for member in ["name", "agent", "message", "browser", "plugins", "folder"] {
            values[member] = text(member) ?? ""
        }
        values["error_message"] = text("error_message").map { ": \($0)" } ?? ""
        values["message"] = text("message") ?? unsaid[event.type].map { PageText.of($0) } ?? ""
        for member in ["version", "count"] {
            values[member] = event.details[member]?.intValue.map { String($0) } ?? "?"
        }
        values["issuer"] = text("issuer") ?? PageText.of("event-word.service")
        values["origins"] = text("origins") ?? PageText.of("event-word.its-bank")
        values["means"] = text("means").map(means) ?? PageText.of("event-word.owner")
        values["from"] = text("from") ?? (event.type == "totp.edited" ? PageText.of("event-word.service") : "")
        values["to"] = event.type == "passkey.code_shown" ? change(text("to")) : text("to") ?? ""
        return PageText.of(key, values)
    }

    /// Returns the result of checking the log.
    static func of(_ verification: AuditVerification) -> String {
        switch verification {
        case .intact(let count, _): PageText.of("audit.intact", ["count": String(count)])
        case .broken(let id): PageText.of("audit.broken", ["id": String(id)])
        case .truncated(let id): PageText.of("audit.truncated", ["id": String(id)])
        case .unexplainedStart(let id): PageText.of("audit.unexplained", ["id": String(id)])
        case .rewritten(let id): PageText.of("audit.rewritten", ["id": String(id)])
        case .checkpointPruned(let id, let through):
            PageText.of("audit.checkpoint-pruned", ["id": String(id), "through": String(through)])
        }
    }

    /// The words in the place of a message that an event does not have, by its type.
    private static let unsaid = [
        "request.refused": "event-word.unverified", "pairing.failed": "event-word.not-completed",
        "pairing.ended": "event-word.not-completed",
        "rotation.failed": "event-word.no-answer",
    ]

    private static func means(_ recorded: String) -> String {
        switch recorded {
        case "passphrase": PageText.of("means.passphrase")
        case "passkey": PageText.of("means.passkey")
        case "passkey and passphrase": PageText.of("means.both")
        default: recorded
        }
    }

    private static func change(_ recorded: String?) -> String {
        switch recorded {
        case "add": PageText.of("event-word.add")
        case "remove": PageText.of("event-word.remove")
        default: recorded ?? PageText.of("event-word.change")
        }
    }
}
