import Clocks
import Encodings
import Foundation

extension PageViews {
    /// Returns the values of a brief. Its times are in the user's zone, as their quiet hours are.
    ///
    /// Titles, senders and subjects were written by others: the templates escape them, and isolate their direction.
    static func brief(_ json: JSONValue, in zone: TimeZone) -> [String: Any?] {
        let meetings = (json["meetings"]?.arrayValue ?? []).map { meeting -> [String: Any] in
            ["title": meeting["title"]?.stringValue ?? "", "span": span(meeting, zone)]
        }
        let free = (json["free"]?.arrayValue ?? []).map { ["span": span($0, zone)] }
        let mail = (json["urgent_mail"]?.arrayValue ?? []).map { mail -> [String: Any] in
            [
                "from": mail["from"]?.stringValue ?? "", "subject": mail["subject"]?.stringValue ?? "",
                "at": mail["received_at"]?.stringValue.flatMap(Timestamp.init).map { time($0.date, zone) } ?? "",
            ]
        }
        let statements = (json["statements"]?.arrayValue ?? []).map(statement)
        let consents = (json["consents"]?.arrayValue ?? []).map { ["text": consent($0)] }
        return [
            "consents": consents, "hasConsents": !consents.isEmpty, "meetings": meetings,
            "hasNoMeetings": meetings.isEmpty, "free": free, "hasFree": !free.isEmpty,
            "mail": mail, "hasMail": !mail.isEmpty, "statements": statements, "hasStatements": !statements.isEmpty,
            "zone": zone.identifier,
        ]
    }

    /// Returns a sentence about a consent. Its day is one of UTC, in which banks' interfaces count.
    private static func consent(_ json: JSONValue) -> String {
        let end = json["end"]?.stringValue.flatMap { Timestamp($0)?.date }
        let day = end.map { PageText.sentences.date($0, as: "date.day", zone: .gmt) } ?? ""
        return PageText.of(
            json["status"] == "ENDED" ? "brief.consent-ended" : "brief.consent-ends",
            ["bank": json["bank"]?.stringValue ?? "", "day": day])
    }

    private static func span(_ json: JSONValue, _ zone: TimeZone) -> String {
        let times = ["start", "end"].compactMap { json[$0]?.stringValue.flatMap(Timestamp.init) }
        return times.map { time($0.date, zone) }.joined(separator: "–")
    }

    private static func time(_ date: Date, _ zone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = zone
        formatter.dateFormat = "HH:mm"
        return formatter.string(from: date)
    }

    private static func statement(_ json: JSONValue) -> [String: Any] {
        let status =
            switch json["status"]?.stringValue ?? "" {
            case "WAITS_FOR_CONFIRMATION": PageText.of("statement.waits-confirmation")
            case "WAITS_FOR_APPROVAL": PageText.of("statement.waits-approval")
            case "ARRIVED": PageText.of("statement.arrived")
            case let other: other.lowercased()
            }
        return [
            "subject": statementSubject(json), "status": status,
            "isOffer": json["status"] == "WAITS_FOR_CONFIRMATION",
        ]
    }

    /// Returns which statement it is. Without a bank's name it is that of the broker's own bank.
    private static func statementSubject(_ json: JSONValue) -> String {
        let bank = json["bank"]?.stringValue ?? ""
        let month = json["month"]?.stringValue.map(monthWords)
        return [bank.isEmpty ? PageText.of("statement.your-bank") : bank, month].compactMap { $0 }.joined(
            separator: ", ")
    }

    /// Returns `October 2026` for `2026-10`, as the page's language writes it; any other text as it is.
    private static func monthWords(_ text: String) -> String {
        guard text.wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])/) != nil, let start = Timestamp("\(text)-01T12:00:00Z")
        else {
            return text
        }
        return PageText.sentences.date(start.date, as: "date.month", zone: .gmt)
    }

    // MARK: Alerts

    /// Returns the values of an alert. Its sender and subject were written by others.
    ///
    /// - Parameter back: the path of the page that shows it, where an answer leads back to.
    static func alert(_ json: JSONValue, back: String) -> [String: Any] {
        let subject = json["subject"]?.stringValue ?? ""
        let values: [String: Any?] = [
            "id": json["id"]?.stringValue, "back": back, "from": json["from"]?.stringValue,
            "subject": subject.isEmpty ? PageText.of("alert.no-subject") : subject,
            "received": json["received_at"]?.stringValue.flatMap(moment),
            "rules": (json["rules"]?.arrayValue ?? []).compactMap(\.stringValue).map(ruleWords)
                .joined(separator: ", "),
            "isAnswered": json["urgent"]?.boolValue != nil, "wasUrgent": json["urgent"] == true,
        ]
        return values.compactMapValues { $0 }
    }

    private static func ruleWords(_ rule: String) -> String {
        let key = "why.\(rule.replacing("_", with: "-"))"
        return PageText.sentences.has(key) ? PageText.of(key) : rule.replacing("_", with: " ").lowercased()
    }

    // MARK: Confirmations

    static func confirmations(_ items: [JSONValue]) -> [[String: Any]] {
        items.compactMap { item in
            guard let id = item["id"]?.stringValue else { return nil }
            var values: [String: Any] = ["id": id, "title": confirmationTitle(item)]
            values["made"] = item["created_at"]?.stringValue.flatMap(moment)
            values["until"] = item["expires_at"]?.stringValue.flatMap(moment)
            return values
        }
    }

    private static func confirmationTitle(_ json: JSONValue) -> String {
        let isStatement = json["kind"] == "STATEMENT"
        // The API's title is in English.
        if let title = json["title"]?.stringValue, !PageText.isForeign || !isStatement { return title }
        return isStatement
            ? PageText.of("confirmation.statement", ["statement": statementSubject(json)])
            : PageText.of("confirmation.act")
    }

    // MARK: Connections

    static func connector(_ json: JSONValue) -> [String: Any] {
        let words = { (scope: JSONValue) -> [String: Any]? in
            guard let name = scope.stringValue else { return nil }
            let (title, use) = scopeWords(name)
            return ["name": name, "title": title, "use": use]
        }
        let status = json["status"]?.stringValue ?? ""
        var values: [String: Any] = [
            "id": json["connector_id"]?.stringValue ?? "",
            "granted": (json["granted_scopes"]?.arrayValue ?? []).compactMap(words),
            "missing": (json["missing_scopes"]?.arrayValue ?? []).compactMap(words),
            "hasMissing": json["missing_scopes"]?.arrayValue?.isEmpty == false,
            "isActive": status == "ACTIVE", "needsReconnect": status == "NEEDS_RECONNECT",
        ]
        values["message"] = trouble(json)
        values["since"] = json["created_at"]?.stringValue.flatMap(moment)
        return values
    }

    /// Returns what the person should know of a connection, if anything.
    static func trouble(_ json: JSONValue) -> String? {
        guard let message = json["message"]?.stringValue.map(sentence) else { return nil }
        guard PageText.isForeign else { return message }
        if json["status"] == "NEEDS_RECONNECT" { return PageText.of("trouble.ended") }
        switch json["missing_scopes"]?.arrayValue?.compactMap(\.stringValue) {
        case ["calendar.readonly"]: return PageText.of("trouble.no-calendar")
        case ["gmail.readonly"]: return PageText.of("trouble.no-mail")
        default: return PageText.of("trouble.nothing")
        }
    }

    /// Returns what a scope lets the assistant read, and what for.
    private static func scopeWords(_ name: String) -> (title: String, use: String) {
        switch name {
        case "calendar.readonly": (PageText.of("scope.calendar"), PageText.of("scope.calendar-use"))
        case "gmail.readonly": (PageText.of("scope.mail"), PageText.of("scope.mail-use"))
        default: (name, "")
        }
    }

    // MARK: The audit log

    static func event(_ json: JSONValue) -> [String: Any] {
        let type = json["event_type"]?.stringValue ?? ""
        var values: [String: Any] = ["sentence": eventWords(type, json), "type": type]
        values["mark"] = mark(type, json)
        values["time"] = json["timestamp"]?.stringValue.flatMap(moment)
        return values
    }

    /// Returns the mark of an event that did not succeed. Other results than these two are states or answers, and a user who
    /// denies has decided; nothing was refused.
    private static func mark(_ type: String, _ json: JSONValue) -> [String: String]? {
        let words = ["FAILURE": PageText.of("mark.failed"), "DENIED": PageText.of("mark.refused")]
        guard type != "CONFIRMATION_DECIDED", let word = words[json["result"]?.stringValue ?? ""] else { return nil }
        var mark = ["word": word]
        mark["reason"] = json["metadata"]?["reason"]?.stringValue
        return mark
    }

    private static func eventWords(_ type: String, _ json: JSONValue) -> String {
        let metadata = json["metadata"]
        let isApproved = json["result"] == "APPROVED"
        let key: String? =
            switch type {
            case "SIGN_IN":
                metadata?["new_user"] == true
                    ? "event.new-user"
                    : metadata?["method"] == "passkey" ? "event.signed-in-passkey" : "event.signed-in-apple"
            case "CONNECTOR_CONNECTED": "event.connected"
            case "CONNECTOR_FETCH": metadata?["source"] == "gmail" ? "event.looked-mail" : "event.read-calendar"
            case "CONNECTOR_REVOKED": "event.revoked"
            case "CONNECTOR_NEEDS_RECONNECT": "event.reconnect"
            case "PREFERENCES_CHANGED": "event.preferences"
            case "TOKEN_DECRYPT": "event.key-used"
            case "CONFIRMATION_DECIDED": isApproved ? "event.approved" : "event.declined"
            case "STATEMENT_OFFERED": isApproved ? "event.may-ask" : "event.offered"
            case "STATEMENT_REQUESTED": "event.asked"
            case "STATEMENT_REQUEST_ENDED": json["result"] == "SUCCESS" ? "event.arrived" : "event.did-not-come"
            case "NOTICE_SENT": "event.notice-sent"
            case "JOB_SET_ASIDE": "event.set-aside"
            case "DATA_EXPORTED": "event.exported"
            case "DELETE_ALL": "event.deleted"
            default: nil
            }
        return key.map { PageText.of($0) } ?? type.replacing("_", with: " ").lowercased().capitalizedFirst
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
