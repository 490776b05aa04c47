import AssistantStore
import Clocks
import Encodings
import Hummingbird

/// The user's wishes (specification, section 7.4), and the time zone in which they count.
struct PreferenceAPI: Sendable {
    let preferences: PreferenceStore
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/preferences") { _, context in
            guard let stored = try await preferences.preferences(of: try context.signedIn().userID) else {
                throw AssistantError.unauthorized
            }
            return Response.json(Self.json(stored))
        }
        router.put("v1/preferences") { request, context in
            let fields = try await RequestFields(request)
            var wanted = Preferences(timeZone: "UTC")
            wanted.meetingReminderMinutes = try fields.whole("meeting_reminder_minutes", in: 0...1440)
            wanted.morningBriefLocalTime = try fields.timeOfDay("morning_brief_local_time")
            wanted.quietHoursStart = try fields.timeOfDay("quiet_hours_start")
            wanted.quietHoursEnd = try fields.timeOfDay("quiet_hours_end")
            wanted.highRiskRequiresConfirm = try fields.bool("high_risk_requires_confirm")
            let isStored = try await preferences.put(
                wanted, timeZone: try fields.timeZone(), of: try context.signedIn().userID,
                recording: NewAuditEvent("PREFERENCES_CHANGED"), at: clock.now)
            guard isStored else { throw AssistantError.unauthorized }
            return Response.ok
        }
    }

    static func json(_ preferences: Preferences) -> JSONValue {
        [
            "meeting_reminder_minutes": .number(Double(preferences.meetingReminderMinutes)),
            "morning_brief_local_time": .string(preferences.morningBriefLocalTime),
            "quiet_hours_start": .string(preferences.quietHoursStart),
            "quiet_hours_end": .string(preferences.quietHoursEnd),
            "high_risk_requires_confirm": .bool(preferences.highRiskRequiresConfirm),
            "time_zone": .string(preferences.timeZone),
        ]
    }
}
