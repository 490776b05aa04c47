import Clocks
import Encodings
import Foundation
import Languages

extension PageViews {
    /// The members of the preferences with the labels of their fields.
    static var preferenceLabels: [String: String] {
        [
            "meeting_reminder_minutes": PageText.of("settings.minutes"),
            "morning_brief_local_time": PageText.of("settings.brief"),
            "quiet_hours_start": PageText.of("settings.quiet-from"),
            "quiet_hours_end": PageText.of("settings.quiet-until"), "time_zone": PageText.of("settings.zone"),
        ]
    }
    /// The switches of `urgent_mail`, in the order of the page.
    static let urgentMailRules = ["marked_senders", "correspondents", "replies", "importance", "deadlines"]
    static var noticeLabels: [String: String] {
        ["marked_senders": PageText.of("label.marked-senders"), "urgent_mail": PageText.of("label.urgent-mail")]
    }

    /// The languages of the page, for a list to choose from.
    static func languages(chosen: Language?) -> [[String: Any]] {
        PageResources.sentences.offered.map { ["code": $0.rawValue, "name": $0.name, "selected": $0 == chosen] }
    }

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
            "rules": urgentMailRules.map { name -> [String: Any] in
                let label = PageText.of("rule.\(name.replacing("_", with: "-"))")
                let all = json["urgent_mail"]?.boolValue
                return ["name": name, "label": label, "on": all ?? json["urgent_mail"]?[name]?.boolValue ?? true]
            },
            "senders": (json["marked_senders"]?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: "\n"),
        ]
    }

    /// Returns a refusal with the name that the field has on the page.
    static func problem(_ refusal: APIRefusal, of labels: [String: String]) -> String {
        let text = labels.reduce(refusal.words) { $0.replacing("“\($1.key)”", with: "“\($1.value)”") }
        return PageText.of("refusal.nothing-stored", ["text": text])
    }

    static func device(_ json: JSONValue, own: String) -> [String: Any] {
        let id = json["device_id"]?.stringValue ?? ""
        let kind =
            switch json["channel"]?.stringValue {
            case "apns": PageText.of("device.app")
            case "webpush": PageText.of("device.browser")
            case let other: other ?? PageText.of("device.any")
            }
        var values: [String: Any] = ["id": id, "name": id == own ? PageText.of("device.this") : kind, "own": id == own]
        values["since"] = json["created_at"]?.stringValue.flatMap(moment)
        return values
    }

    // MARK: Words

    static func reminder(_ minutes: Int) -> String {
        switch minutes {
        case 0: PageText.of("reminder.begins")
        case 1: PageText.of("reminder.minute")
        case 60: PageText.of("reminder.hour")
        case let minutes where minutes % 60 == 0:
            PageText.of("reminder.hours", ["count": String(minutes / 60)])
        default: PageText.of("reminder.minutes", ["count": String(minutes)])
        }
    }

    /// Returns the quiet hours; nil when two equal times turn them off.
    static func quietHours(_ json: JSONValue) -> String? {
        guard let start = json["quiet_hours_start"]?.stringValue, let end = json["quiet_hours_end"]?.stringValue,
            start != end
        else { return nil }
        return PageText.of("quiet.span", ["start": start, "end": end])
    }

    static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }

    /// Returns the values of the template `moment`. The page's script shows the time in the browser's own zone.
    static func moment(_ text: String) -> [String: String]? {
        guard let date = Timestamp(text)?.date else { return nil }
        return ["iso": text, "text": PageText.sentences.date(date, as: "date.moment", zone: .gmt)]
    }
}
