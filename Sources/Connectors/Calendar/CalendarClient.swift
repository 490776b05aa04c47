import Clocks
import Foundation
import JSON

/// A meeting, with no more than a reminder needs.
package struct CalendarEvent: Sendable, Hashable {
    package let id: String
    /// The time; nil for an event that lasts whole days, and for a cancelled one.
    package let start: Date?
    package let end: Date?
    package let title: String?
    package let isCancelled: Bool
}

/// Changes of a calendar since the last look.
package struct CalendarChanges: Sendable, Hashable {
    /// Events by their ids and times; their titles are not fetched.
    package let events: [CalendarEvent]
    /// The token for the next look.
    package let syncToken: String
    /// True when these are all events: whatever else was known is gone.
    package let isFull: Bool
}

/// Reads the user's first calendar (Calendar API v3, `events.list`), with field masks for the least that is needed.
package struct CalendarClient: Sendable {
    private static let path = "/calendar/v3/calendars/primary/events"
    /// More pages than this are not read at one look.
    private static let mostPages = 40

    private let api: GoogleAPI

    package init(_ api: GoogleAPI) {
        self.api = api
    }

    /// Returns the meetings that touch a window, in the order of their beginnings. Google expands recurring ones.
    ///
    /// - Throws: ``GoogleError``.
    package func events(from start: Date, to end: Date) async throws -> [CalendarEvent] {
        let query = [
            ("singleEvents", "true"), ("orderBy", "startTime"), ("timeMin", Timestamp(start).description),
            ("timeMax", Timestamp(end).description), ("maxResults", "250"),
            ("fields", "items(id,status,summary,start,end),nextPageToken"),
        ]
        return try await pages(query).events
    }

    /// Returns what has changed since a look, or everything at the first one and when Google has forgotten the token
    /// (410).
    ///
    /// - Throws: ``GoogleError``.
    package func changes(since token: String?) async throws -> CalendarChanges {
        // All parameters but the token have to be the same each time; a window is not allowed with one.
        let query = [
            ("singleEvents", "true"), ("maxResults", "2500"),
            ("fields", "items(id,status,start,end),nextPageToken,nextSyncToken"),
        ]
        do {
            let (events, next) = try await pages(query + (token.map { [("syncToken", $0)] } ?? []))
            guard let next else { throw GoogleError.malformed("the last page has no nextSyncToken") }
            return CalendarChanges(events: events, syncToken: next, isFull: token == nil)
        } catch GoogleError.refused(status: 410, _) where token != nil {
            return try await changes(since: nil)
        }
    }

    private func pages(_ query: [(String, String)]) async throws -> (events: [CalendarEvent], syncToken: String?) {
        var events: [CalendarEvent] = []
        var page: String?
        for _ in 0..<Self.mostPages {
            let answer = try await api.get(Self.path, query + (page.map { [("pageToken", $0)] } ?? []))
            // A page may be empty and still have a next one.
            events += (answer["items"]?.arrayValue ?? []).compactMap(Self.event)
            page = answer["nextPageToken"]?.stringValue
            if page == nil { return (events, answer["nextSyncToken"]?.stringValue) }
        }
        throw GoogleError.malformed("the calendar has more than \(Self.mostPages) pages")
    }

    private static func event(_ json: JSONValue) -> CalendarEvent? {
        guard let id = json["id"]?.stringValue else { return nil }
        func time(_ name: String) -> Date? {
            json[name]?["dateTime"]?.stringValue.flatMap { Timestamp($0)?.date }
        }
        return CalendarEvent(
            id: id, start: time("start"), end: time("end"), title: json["summary"]?.stringValue,
            isCancelled: json["status"]?.stringValue == "cancelled")
    }
}
