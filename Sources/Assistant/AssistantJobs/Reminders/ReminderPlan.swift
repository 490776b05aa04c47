import AssistantProcesses
import AssistantStore
import Clocks
import Encodings
import Foundation
import Secrets

/// A reminder of a meeting, as its job carries it.
package struct Reminder: Sendable, Hashable {
    /// The calendar and the event that hold the meeting, by Google's ids.
    package let calendar: String
    package let event: String
    package let start: Date
    /// The time at which it was planned. A meeting that was made a minute ago could not be reminded of before.
    package let planned: Date

    package init(calendar: String, event: String, start: Date, planned: Date) {
        self.calendar = calendar
        self.event = event
        self.start = start
        self.planned = planned
    }

    package func due(lead minutes: Int) -> Date { start.addingTimeInterval(-60 * Double(minutes)) }

    package func sealed(_ keys: StateKeys, of userID: UUID) throws -> [UInt8] {
        let json: JSONValue = [
            .string(calendar), .string(event), .string(Timestamp(start).description),
            .string(Timestamp(planned).description),
        ]
        return try keys.seal(Secret(bytes: json.compactBytes()), as: Self.binding(userID))
    }

    /// - Throws: when the payload was changed, or belongs to another user.
    package init(_ sealed: [UInt8], _ keys: StateKeys, of userID: UUID) throws {
        let plain = try keys.open(sealed, as: Self.binding(userID))
        let parts = try plain.withUnsafeBytes { try JSONReader.read(Array($0)) }.arrayValue?.compactMap(\.stringValue)
        guard let parts, parts.count == 4, let start = Timestamp(parts[2]), let planned = Timestamp(parts[3]) else {
            throw AssistantStoreError(.damaged, "the payload of a reminder lacks a part")
        }
        self.init(calendar: parts[0], event: parts[1], start: start.date, planned: planned.date)
    }

    private static func binding(_ userID: UUID) -> String { "reminder of \(userID.uuidString.lowercased())" }
}

/// The reminders that follow from what is known of a user's calendars.
package struct ReminderPlan: Sendable {
    /// The reminders of meetings that are still to come.
    package var reminders: [PlannedJob] = []
    /// Those of meetings that have just begun: they stay if they were not sent yet.
    package var kept: [[UInt8]] = []

    /// - Parameter lead: the minutes before a meeting.
    package init(
        _ memory: CalendarMemory, lead: Int, of userID: UUID, _ keys: StateKeys, at now: Date
    ) throws {
        // The user's answer stands in the first calendar: another one shows the answer of its owner.
        let own = Set((memory.calendars[CalendarClient.primary]?.meetings ?? [:]).values.map(\.meetingID))
        // One reminder for each meeting, though it is in two calendars. While only one copy has moved, the earlier counts.
        var first: [String: (calendar: String, event: String, start: Date)] = [:]
        for (calendar, content) in memory.calendars {
            for (event, meeting) in content.meetings where !meeting.isDeclined {
                if calendar != CalendarClient.primary, own.contains(meeting.meetingID) { continue }
                if let other = first[meeting.meetingID],
                    (other.start, other.calendar, other.event) <= (meeting.start, calendar, event)
                {
                    continue
                }
                first[meeting.meetingID] = (calendar, event, meeting.start)
            }
        }
        for (meetingID, place) in first {
            // A meeting that was moved is another subject: one may be reminded of it again.
            let subject = keys.digest(
                "\(userID.uuidString.lowercased()) \(Timestamp(place.start)) \(meetingID)", for: "reminder")
            guard place.start > now else {
                kept.append(subject)
                continue
            }
            let reminder = Reminder(calendar: place.calendar, event: place.event, start: place.start, planned: now)
            reminders.append(
                PlannedJob(
                    CalendarStateStore.reminder, about: subject, due: reminder.due(lead: lead),
                    sealedPayload: try reminder.sealed(keys, of: userID)))
        }
    }
}
