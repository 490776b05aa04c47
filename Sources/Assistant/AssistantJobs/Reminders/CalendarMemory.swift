import AssistantProcesses
import Clocks
import Encodings
import Foundation
import Secrets

/// The memory of a user's calendars: how far each was read, and the times of the next meetings. It keeps no title, place or
/// person, and is sealed in the database.
package struct CalendarMemory: Sendable, Hashable {
    /// A meeting in one of the calendars.
    package struct Meeting: Sendable, Hashable {
        /// The same in every calendar that has the meeting.
        package let meetingID: String
        package let start: Date
        package let end: Date
        /// The owner of the calendar has declined it.
        package let isDeclined: Bool

        package init(meetingID: String, start: Date, end: Date, isDeclined: Bool = false) {
            self.meetingID = meetingID
            self.start = start
            self.end = end
            self.isDeclined = isDeclined
        }
    }

    package struct Calendar: Sendable, Hashable {
        package var syncToken: String?
        /// The time of the last look at everything.
        package var readWhole: Date
        /// The time at which the token was stored.
        package var stored: Date
        /// The next meetings by the ids of their events.
        package var meetings: [String: Meeting]
    }

    /// Meetings that begin later are not kept. It is the longest time before a meeting at which one can be reminded (a
    /// day), the time between two looks at everything (a day), and some.
    package static let horizon: TimeInterval = 50 * 3600
    /// The time after which everything in the window is read again: what the window has come to include meanwhile has not
    /// changed, so that it is not among the changes.
    static let wholeInterval: TimeInterval = 86_400
    /// The time between two looks at the list of calendars.
    private static let listInterval: TimeInterval = 3600
    /// The time after which a new token is stored though nothing has changed.
    private static let tokenInterval: TimeInterval = 1800
    /// Meetings are kept for so long after their beginning.
    static let kept: TimeInterval = 900

    package var calendars: [String: Calendar] = [:]
    package var listed: Date?
    /// The minutes before a meeting by which the reminders were planned.
    package var lead: Int?

    package init() {}

    // MARK: Reading

    /// Reads what has changed.
    ///
    /// - Returns: true when it has to be stored.
    /// - Throws: `GoogleError`.
    package mutating func read(_ client: CalendarClient, at now: Date) async throws -> Bool {
        var isNews = false
        if listed.map({ abs(now.timeIntervalSince($0)) >= Self.listInterval }) ?? true {
            let ids = Set(try await client.calendars())
            calendars = calendars.filter { ids.contains($0.key) }
            for id in ids where calendars[id] == nil {
                calendars[id] = Calendar(syncToken: nil, readWhole: .distantPast, stored: .distantPast, meetings: [:])
            }
            listed = now
            isNews = true
        }
        // The first calendar comes first: without it the look fails.
        let others = calendars.keys.filter { $0 != CalendarClient.primary }.sorted()
        for id in [CalendarClient.primary] + others {
            guard var calendar = calendars[id] else { continue }
            do {
                let isWholeDue = abs(now.timeIntervalSince(calendar.readWhole)) >= Self.wholeInterval
                let changes = try await client.changes(
                    of: id, since: isWholeDue ? nil : calendar.syncToken, from: now,
                    to: now.addingTimeInterval(Self.horizon))
                isNews = calendar.apply(changes, at: now) || isNews
                calendars[id] = calendar
            } catch let error as GoogleError where id != CalendarClient.primary {
                isNews = try forgive(error, id) || isNews
            }
        }
        return isNews
    }

    /// Goes on without a calendar that is not the user's first. Its known meetings stay.
    ///
    /// - Returns: true when the calendar is gone, as it was removed since the list was read.
    /// - Throws: `GoogleError` when it concerns every calendar.
    private mutating func forgive(_ error: GoogleError, _ id: String) throws -> Bool {
        switch error {
        case .refused(status: 404, _):
            calendars[id] = nil
            return true
        case .forbidden, .refused, .malformed, .unavailable: return false
        case .unauthorized, .rateLimited, .invalidGrant: throw error
        }
    }
}

extension CalendarMemory.Calendar {
    /// - Returns: true when the calendar has to be stored.
    package mutating func apply(_ changes: CalendarChanges, at now: Date) -> Bool {
        let before = meetings
        if changes.isFull {
            meetings = [:]
            readWhole = now
        }
        for event in changes.events {
            meetings[event.id] = nil
            guard let start = event.start, let end = event.end, !event.isCancelled,
                start <= now.addingTimeInterval(CalendarMemory.horizon)
            else { continue }
            meetings[event.id] = CalendarMemory.Meeting(
                meetingID: event.meetingID, start: start, end: end, isDeclined: event.isDeclined)
        }
        let oldest = now.addingTimeInterval(-CalendarMemory.kept)
        meetings = meetings.filter { $0.value.start > oldest }
        let isTokenOld = abs(now.timeIntervalSince(stored)) >= CalendarMemory.tokenInterval
        syncToken = changes.syncToken
        guard changes.isFull || isTokenOld || meetings != before.filter({ $0.value.start > oldest }) else {
            return false
        }
        stored = now
        return true
    }
}

// MARK: Sealing

extension CalendarMemory {
    package func sealed(_ keys: StateKeys, of userID: UUID) throws -> [UInt8] {
        try keys.seal(Secret(bytes: json.compactBytes()), as: Self.binding(userID))
    }

    /// Opens what is stored. What cannot be read counts as nothing: everything is then read anew.
    package init(_ sealed: [UInt8]?, _ keys: StateKeys, of userID: UUID) {
        self.init()
        guard let sealed, let plain = try? keys.open(sealed, as: Self.binding(userID)),
            let json = plain.withUnsafeBytes({ try? JSONReader.read(Array($0), limits: Self.limits) })
        else { return }
        read(json)
    }

    private static let limits = JSONLimits(depth: 8, size: 4 << 20)
    private static func binding(_ userID: UUID) -> String { "calendars of \(userID.uuidString.lowercased())" }

    private var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members["listed"] = listed.map(Self.time)
        members["lead"] = lead.map { .number(Double($0)) }
        members["calendars"] = .object(
            calendars.mapValues { calendar in
                var members: [String: JSONValue] = [
                    "whole": Self.time(calendar.readWhole), "stored": Self.time(calendar.stored),
                    "meetings": .object(
                        calendar.meetings.mapValues { meeting in
                            [
                                .string(meeting.meetingID), Self.time(meeting.start), Self.time(meeting.end),
                                .bool(meeting.isDeclined),
                            ]
                        }),
                ]
                members["token"] = calendar.syncToken.map(JSONValue.string)
                return .object(members)
            })
        return .object(members)
    }

    private mutating func read(_ json: JSONValue) {
        listed = Self.date(json["listed"])
        lead = json["lead"]?.intValue
        for (id, value) in json["calendars"]?.objectValue ?? [:] {
            var meetings: [String: Meeting] = [:]
            for (event, parts) in value["meetings"]?.objectValue ?? [:] {
                guard let parts = parts.arrayValue, parts.count == 4, let meetingID = parts[0].stringValue,
                    let start = Self.date(parts[1]), let end = Self.date(parts[2]), let isDeclined = parts[3].boolValue
                else { continue }
                meetings[event] = Meeting(meetingID: meetingID, start: start, end: end, isDeclined: isDeclined)
            }
            calendars[id] = Calendar(
                syncToken: value["token"]?.stringValue, readWhole: Self.date(value["whole"]) ?? .distantPast,
                stored: Self.date(value["stored"]) ?? .distantPast, meetings: meetings)
        }
    }

    /// Moments are kept as milliseconds since 1970.
    private static func time(_ date: Date) -> JSONValue {
        .number((date.timeIntervalSince1970 * 1000).rounded())
    }

    private static func date(_ json: JSONValue?) -> Date? {
        json?.numberValue.map { Date(timeIntervalSince1970: $0 / 1000) }
    }
}
