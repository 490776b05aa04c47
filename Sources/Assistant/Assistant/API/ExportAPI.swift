import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird

/// Everything that the assistant keeps of the user, for the user, without tokens and keys.
struct ExportAPI: Sendable {
    /// The most events of one export, the newest.
    private static let mostEvents = 10_000
    private static let mostRecords = 100_000
    private static let always = Date(timeIntervalSince1970: 0)

    let database: AssistantDatabase
    let keys: StateKeys
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/privacy/export") { _, context in
            let user = try context.signedIn().userID
            let export = try await export(of: user)
            try await database.audit.recordUnlessDeleted(NewAuditEvent("DATA_EXPORTED"), of: user, at: clock.now)
            return Response.json(export)
        }
    }

    private func export(of user: UUID) async throws -> JSONValue {
        guard let record = try await database.personalData.record(of: user),
            let preferences = try await database.preferences.preferences(of: user)
        else { throw AssistantError.unauthorized }
        let devices = try await database.devices.devices(of: user)
        let connectors = try await database.connectors.connectors(of: user)
        let notices = try NotificationPreferences(
            await database.notificationPreferences.preferences(of: user), of: user, keys)
        let held = try await database.notices.held(of: user)
        let calendar = try await database.calendars.sealedState(of: user)
        let alerts = try await database.alerts.alerts(of: user, since: Self.always, atMost: Self.mostRecords)
        let confirmations = try await database.confirmations.confirmations(
            of: user, since: Self.always, atMost: Self.mostRecords)
        // A record that cannot be opened leaves the others readable, and is counted.
        let shownAlerts = alerts.compactMap { try? AlertAPI.json($0, keys) }
        let shownConfirmations = confirmations.compactMap { try? ConfirmationAPI.json($0, keys) }
        let events = try await database.audit.events(of: user, before: nil, atMost: Self.mostEvents)
        return [
            "exported_at": Self.time(clock.now),
            "user": ["id": .string(user.uuidString.lowercased()), "created_at": Self.time(record.createdAt)],
            "preferences": PreferenceAPI.json(preferences),
            "passkeys": .array(record.passkeys.map { ["created_at": Self.time($0)] }),
            "sessions": .array(
                record.sessions.map {
                    [
                        "device_id": .string($0.deviceID), "created_at": Self.time($0.createdAt),
                        "ended_at": $0.endedAt.map(Self.time) ?? .null,
                    ]
                }),
            "devices": .array(devices.map(DeviceAPI.json)),
            "connectors": .array(connectors.map(ConnectorAPI.json)),
            "jobs": .array(
                record.jobs.map {
                    ["type": .string($0.type), "state": .string($0.state), "due_at": Self.time($0.dueAt)]
                }),
            "briefs": .array(record.briefs.map { ["expires_at": Self.time($0)] }),
            "people_and_conversations_written_to": .number(Double(record.acquaintances)),
            "notifications": [
                "show_details": .bool(notices.showsDetails),
                "reminders_in_quiet_hours": .bool(notices.remindsInQuietHours),
                "marked_senders": .array(notices.markedSenders.map(JSONValue.string)),
                "urgent_mail": .array(notices.rules.map(\.rawValue).sorted().map(JSONValue.string)),
            ],
            "held_notices": .array(held.map { ["held_at": Self.time($0.heldAt)] }),
            "keeps_times_of_meetings": .bool(calendar != nil),
            "alerts": .array(shownAlerts),
            "confirmations": .array(shownConfirmations),
            "unreadable_records": .number(
                Double(alerts.count - shownAlerts.count + confirmations.count - shownConfirmations.count)),
            "audit_events": .array(events.map(AuditAPI.json)),
        ]
    }

    private static func time(_ date: Date) -> JSONValue { .string(Timestamp(date).description) }
}
