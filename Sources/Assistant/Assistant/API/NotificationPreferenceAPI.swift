import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird

/// The user's wishes about notices: what they show, and what passes quiet hours.
struct NotificationPreferenceAPI: Sendable {
    let preferences: NotificationPreferenceStore
    let keys: StateKeys
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/preferences/notifications") { _, context in
            let userID = try context.signedIn().userID
            let stored = try await preferences.preferences(of: userID)
            return Response.json(Self.json(try NotificationPreferences(stored, of: userID, keys)))
        }
        router.put("v1/preferences/notifications") { request, context in
            let change = try Change(await RequestFields(request))
            let userID = try context.signedIn().userID
            let isStored = try await preferences.change(
                of: userID, recording: NewAuditEvent("PREFERENCES_CHANGED", metadata: ["part": "notifications"]),
                at: clock.now
            ) { [keys] stored in
                var wanted = try NotificationPreferences(stored, of: userID, keys)
                change.apply(to: &wanted)
                try wanted.write(to: &stored, of: userID, keys)
            }
            guard isStored else { throw AssistantError.unauthorized }
            return Response.ok
        }
    }

    /// The members of a body. An absent member changes nothing.
    private struct Change: Sendable {
        let showsDetails: Bool?
        let remindsInQuietHours: Bool?
        let markedSenders: [String]?
        let rules: [UrgentMailRule: Bool]

        init(_ fields: RequestFields) throws(AssistantError) {
            showsDetails = try fields.optionalBool("show_details")
            remindsInQuietHours = try fields.optionalBool("reminders_in_quiet_hours")
            markedSenders = try Self.senders(fields)
            rules = try Self.rules(fields)
        }

        /// Reads addresses, and domains with an `@` in front, in small letters and each once.
        private static func senders(_ fields: RequestFields) throws(AssistantError) -> [String]? {
            let name = "marked_senders"
            guard
                let texts = try fields.optionalTexts(
                    name, atMost: NotificationPreferences.mostSenders, eachAtMost: 254)
            else { return nil }
            var senders: [String] = []
            for text in texts {
                guard isSender(text) else {
                    throw .invalid(name, "must be mail addresses, or domains such as @provider.net")
                }
                let sender = text.lowercased()
                if !senders.contains(sender) { senders.append(sender) }
            }
            return senders
        }

        private static func isSender(_ text: String) -> Bool {
            let scalars = Array(text.unicodeScalars)
            return scalars.allSatisfy { $0 > " " && $0 != "\u{A0}" && !"<>,;\"".unicodeScalars.contains($0) }
                && scalars.count { $0 == "@" } == 1 && scalars.last != "@"
        }

        /// Reads one switch for all rules, or an object with switches for some.
        private static func rules(_ fields: RequestFields) throws(AssistantError) -> [UrgentMailRule: Bool] {
            let name = "urgent_mail"
            guard let value = fields[name] else { return [:] }
            if let isOn = value.boolValue {
                return Dictionary(uniqueKeysWithValues: UrgentMailRule.allCases.map { ($0, isOn) })
            }
            var rules: [UrgentMailRule: Bool] = [:]
            let known = UrgentMailRule.allCases.map(\.rawValue).joined(separator: ", ")
            guard let members = value.objectValue else {
                throw .invalid(name, "must be true or false, or an object with some of these members: \(known)")
            }
            for (key, value) in members {
                guard let rule = UrgentMailRule(rawValue: key), let isOn = value.boolValue else {
                    throw .invalid(name, "must have only these members, each true or false: \(known)")
                }
                rules[rule] = isOn
            }
            return rules
        }

        func apply(to preferences: inout NotificationPreferences) {
            preferences.showsDetails = showsDetails ?? preferences.showsDetails
            preferences.remindsInQuietHours = remindsInQuietHours ?? preferences.remindsInQuietHours
            preferences.markedSenders = markedSenders ?? preferences.markedSenders
            for (rule, isOn) in rules {
                if isOn { preferences.rules.insert(rule) } else { preferences.rules.remove(rule) }
            }
        }
    }

    private static func json(_ preferences: NotificationPreferences) -> JSONValue {
        let rules = UrgentMailRule.allCases.map { ($0.rawValue, JSONValue.bool(preferences.rules.contains($0))) }
        let isOneSwitch = [0, UrgentMailRule.allCases.count].contains(preferences.rules.count)
        return [
            "show_details": .bool(preferences.showsDetails),
            "reminders_in_quiet_hours": .bool(preferences.remindsInQuietHours),
            "marked_senders": .array(preferences.markedSenders.map(JSONValue.string)),
            "urgent_mail": isOneSwitch
                ? .bool(preferences.alertsOfUrgentMail) : .object(Dictionary(uniqueKeysWithValues: rules)),
        ]
    }
}
