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
        return [
            "meetings": meetings, "hasNoMeetings": meetings.isEmpty, "free": free, "hasFree": !free.isEmpty,
            "mail": mail, "hasMail": !mail.isEmpty, "statements": statements, "hasStatements": !statements.isEmpty,
            "zone": zone.identifier,
        ]
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
            case "WAITS_FOR_CONFIRMATION": "can be asked for; confirm it here"
            case "WAITS_FOR_APPROVAL": "waits for your approval on the phone"
            case "ARRIVED": "has arrived"
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
        return [bank.isEmpty ? "Your bank" : bank, month].compactMap { $0 }.joined(separator: ", ")
    }

    /// Returns `October 2026` for `2026-10`; any other text as it is.
    private static func monthWords(_ text: String) -> String {
        guard let match = text.wholeMatch(of: /([0-9]{4})-(0[1-9]|1[0-2])/), let month = Int(match.2) else {
            return text
        }
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(names[month - 1]) \(match.1)"
    }

    // MARK: Alerts

    /// Returns the values of an alert. Its sender and subject were written by others.
    ///
    /// - Parameter back: the path of the page that shows it, where an answer leads back to.
    static func alert(_ json: JSONValue, back: String) -> [String: Any] {
        let subject = json["subject"]?.stringValue ?? ""
        let values: [String: Any?] = [
            "id": json["id"]?.stringValue, "back": back, "from": json["from"]?.stringValue,
            "subject": subject.isEmpty ? "No subject" : subject,
            "received": json["received_at"]?.stringValue.flatMap(moment),
            "rules": (json["rules"]?.arrayValue ?? []).compactMap(\.stringValue).map(ruleWords)
                .joined(separator: ", "),
            "isAnswered": json["urgent"]?.boolValue != nil, "wasUrgent": json["urgent"] == true,
        ]
        return values.compactMapValues { $0 }
    }

    private static func ruleWords(_ rule: String) -> String {
        switch rule {
        case "marked_senders": "you marked its sender"
        case "importance": "its sender marks it as important"
        case "deadlines": "its subject names a deadline"
        case "correspondents": "you write to its sender"
        case "replies": "it answers your mail"
        default: rule.replacing("_", with: " ").lowercased()
        }
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
        if let title = json["title"]?.stringValue { return title }
        return json["kind"] == "STATEMENT"
            ? "Ask for the statement: \(statementSubject(json))" : "The assistant wants to act for you"
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
        values["message"] = json["message"]?.stringValue.map(sentence)
        values["since"] = json["created_at"]?.stringValue.flatMap(moment)
        return values
    }

    /// Returns what a scope lets the assistant read, and what for.
    private static func scopeWords(_ name: String) -> (title: String, use: String) {
        switch name {
        case "calendar.readonly": ("Read your calendar", "for reminders of meetings and for the morning brief")
        case "gmail.readonly":
            ("Read your mail", "its senders, subjects and dates, for alerts of urgent mail; never a mail's text")
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
        let words = ["FAILURE": "failed", "DENIED": "refused"]
        guard type != "CONFIRMATION_DECIDED", let word = words[json["result"]?.stringValue ?? ""] else { return nil }
        var mark = ["word": word]
        mark["reason"] = json["metadata"]?["reason"]?.stringValue
        return mark
    }

    private static func eventWords(_ type: String, _ json: JSONValue) -> String {
        let metadata = json["metadata"]
        let isApproved = json["result"] == "APPROVED"
        return switch type {
        case "SIGN_IN":
            metadata?["new_user"] == true
                ? "You became a user of this assistant"
                : "You signed in\(metadata?["method"] == "passkey" ? " with a passkey" : " with Apple")"
        case "CONNECTOR_CONNECTED": "You connected Google"
        case "CONNECTOR_FETCH":
            metadata?["source"] == "gmail" ? "The assistant looked for new mail" : "The assistant read your calendar"
        case "CONNECTOR_REVOKED": "The connection to Google was ended"
        case "CONNECTOR_NEEDS_RECONNECT": "Google ended the connection; it has to be made again"
        case "PREFERENCES_CHANGED": "You changed your settings"
        case "TOKEN_DECRYPT": "The key for your connection to Google was used"
        case "CONFIRMATION_DECIDED":
            isApproved ? "You approved what waited for you" : "You declined what waited for you"
        case "STATEMENT_OFFERED":
            isApproved ? "The assistant may ask for a statement" : "A statement can be asked for; it waits for you"
        case "STATEMENT_REQUESTED": "The assistant asked for a statement"
        case "STATEMENT_REQUEST_ENDED":
            json["result"] == "SUCCESS" ? "A statement has arrived" : "A statement that was asked for did not come"
        case "NOTICE_SENT": "A notice was sent to your devices"
        case "JOB_SET_ASIDE": "A task of the assistant could not be done"
        case "DATA_EXPORTED": "You saved your data"
        case "DELETE_ALL": "Everything was deleted"
        default: type.replacing("_", with: " ").lowercased().capitalizedFirst
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
