import Clocks
import Encodings
import Foundation

extension PageViews {
    /// The members of the preferences with the labels of their fields.
    static let preferenceLabels = [
        "meeting_reminder_minutes": "Minutes before a meeting", "morning_brief_local_time": "Morning brief at",
        "quiet_hours_start": "Quiet hours from", "quiet_hours_end": "Quiet hours until", "time_zone": "Time zone",
    ]
    /// The switches of `urgent_mail`, with their labels.
    static let urgentMailRules = [
        ("marked_senders", "from marked senders"), ("correspondents", "from people to whom you write"),
        ("replies", "in answer to your mail"), ("importance", "that its sender marks as important"),
        ("deadlines", "with a deadline in its subject"),
    ]
    static let noticeLabels = ["marked_senders": "Marked senders", "urgent_mail": "Alerts of urgent mail"]

    static func preferences(_ json: JSONValue) -> [String: Any?] {
        [
            "minutes": json["meeting_reminder_minutes"]?.intValue.map(String.init) ?? "",
            "brief": json["morning_brief_local_time"]?.stringValue,
            "quietStart": json["quiet_hours_start"]?.stringValue, "quietEnd": json["quiet_hours_end"]?.stringValue,
            "confirm": json["high_risk_requires_confirm"]?.boolValue ?? true,
            "zone": json["time_zone"]?.stringValue ?? "UTC",
        ]
    }

    static func noticePreferences(_ json: JSONValue) -> [String: Any?] {
        [
            "details": json["show_details"]?.boolValue ?? false,
            "quietReminders": json["reminders_in_quiet_hours"]?.boolValue ?? false,
            "rules": urgentMailRules.map { name, label -> [String: Any] in
                let all = json["urgent_mail"]?.boolValue
                return ["name": name, "label": label, "on": all ?? json["urgent_mail"]?[name]?.boolValue ?? true]
            },
            "senders": (json["marked_senders"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: "\n"),
        ]
    }

    /// Returns a refusal with the name that the field has on the page.
    static func problem(_ refusal: APIRefusal, of labels: [String: String]) -> String {
        let text = labels.reduce(refusal.words) { $0.replacing("“\($1.key)”", with: "“\($1.value)”") }
        return "Nothing was stored. " + text
    }

    static func device(_ json: JSONValue, own: String) -> [String: Any] {
        let id = json["device_id"]?.stringValue ?? ""
        let kind =
            switch json["channel"]?.stringValue {
            case "apns": "App on an iPhone or iPad"
            case "webpush": "Browser"
            case let other: other ?? "Device"
            }
        var values: [String: Any] = ["id": id, "name": id == own ? "This browser" : kind, "own": id == own]
        values["since"] = json["created_at"]?.stringValue.flatMap(moment)
        return values
    }

    // MARK: Words

    static func reminder(_ minutes: Int) -> String {
        switch minutes {
        case 0: "when a meeting begins"
        case 1: "1 minute before each meeting"
        case let minutes where minutes % 60 == 0 && minutes > 60: "\(minutes / 60) hours before each meeting"
        case 60: "1 hour before each meeting"
        default: "\(minutes) minutes before each meeting"
        }
    }

    /// Returns the quiet hours; nil when two equal times turn them off.
    static func quietHours(_ json: JSONValue) -> String? {
        guard let start = json["quiet_hours_start"]?.stringValue, let end = json["quiet_hours_end"]?.stringValue,
            start != end
        else { return nil }
        return "\(start) to \(end)"
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Returns the values of the template `moment`. The page's script shows the time in the browser's own zone.
    static func moment(_ text: String) -> [String: String]? {
        guard let date = Timestamp(text)?.date else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = .gmt
        formatter.dateFormat = "d MMM yyyy, HH:mm 'UTC'"
        return ["iso": text, "text": formatter.string(from: date)]
    }
}
