import Clocks
import Encodings
import Foundation

/// A meeting, with no more than a reminder needs.
package struct CalendarEvent: Sendable, Hashable {
    package let id: String
    /// The same in every calendar that has the meeting (iCalendar's `UID`, with the original time of one occurrence of a
    /// recurring meeting).
    package let meetingID: String
    /// The time; nil for an event that lasts whole days, and for a cancelled one.
    package let start: Date?
    package let end: Date?
    package let title: String?
    package let isCancelled: Bool
    /// The user has declined it.
    package let isDeclined: Bool

    package init(
        id: String, meetingID: String? = nil, start: Date?, end: Date?, title: String? = nil,
        isCancelled: Bool = false, isDeclined: Bool = false
    ) {
        self.id = id
        self.meetingID = meetingID ?? id
        self.start = start
        self.end = end
        self.title = title
        self.isCancelled = isCancelled
        self.isDeclined = isDeclined
    }

    /// Reads an event of `events.list`; nil when it has no id.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue else { return nil }
        func time(_ name: String) -> Date? {
            json[name]?["dateTime"]?.stringValue.flatMap { Timestamp($0)?.date }
        }
        let uid = json["iCalUID"]?.stringValue ?? id
        // Each occurrence of a recurring meeting has the UID of all.
        let occurrence = time("originalStartTime").map { "@\(Timestamp($0))" } ?? ""
        let own = json["attendees"]?.arrayValue?.first { $0["self"]?.boolValue == true }
        self.init(
            id: id, meetingID: uid + occurrence, start: time("start"), end: time("end"),
            title: json["summary"]?.stringValue, isCancelled: json["status"]?.stringValue == "cancelled",
            isDeclined: own?["responseStatus"]?.stringValue == "declined")
    }
}

/// Changes of a calendar since the last look.
package struct CalendarChanges: Sendable, Hashable {
    /// Events by their ids and times; their titles are not fetched.
    package let events: [CalendarEvent]
    /// The token for the next look; nil when Google gives none, so that the next look is at everything.
    package let syncToken: String?
    /// True when these are all events of the window: whatever else was known is gone.
    package let isFull: Bool

    package init(events: [CalendarEvent], syncToken: String?, isFull: Bool) {
        self.events = events
        self.syncToken = syncToken
        self.isFull = isFull
    }
}
