import Clocks
import Encodings
import Foundation

/// Reads the user's calendars (Calendar API v3), with field masks for the least that is needed.
package struct CalendarClient: Sendable {
    /// The name under which Google knows a user's first calendar.
    package static let primary = "primary"
    private static let path = "/calendar/v3"
    /// More pages than this are not read at one look.
    private static let mostPages = 40
    /// More calendars than this are not read.
    private static let mostCalendars = 10

    private let api: GoogleAPI

    package init(_ api: GoogleAPI) {
        self.api = api
    }

    /// Returns the ids of the calendars that concern the user: the first one, those that the user may write, and those that
    /// the user shows. Of a calendar with busy times only, nothing is read.
    /// Where Google refuses the list, the first one has to do.
    ///
    /// - Throws: ``GoogleError``.
    package func calendars() async throws -> [String] {
        let answer: JSONValue
        do {
            answer = try await api.get(
                "\(Self.path)/users/me/calendarList",
                [
                    ("minAccessRole", "reader"), ("maxResults", "250"),
                    ("fields", "items(id,primary,selected,hidden,deleted,accessRole)"),
                ])
        } catch GoogleError.refused {
            return [Self.primary]
        } catch GoogleError.forbidden {
            return [Self.primary]
        }
        let others = (answer["items"]?.arrayValue ?? []).filter { item in
            let isWritable = ["owner", "writer"].contains(item["accessRole"]?.stringValue)
            return item["primary"]?.boolValue != true && item["hidden"]?.boolValue != true
                && item["deleted"]?.boolValue != true && item["accessRole"]?.stringValue != "freeBusyReader"
                && (isWritable || item["selected"]?.boolValue == true)
        }
        return [Self.primary] + others.compactMap { $0["id"]?.stringValue }.prefix(Self.mostCalendars - 1)
    }

    /// Returns the meetings that touch a window, in the order of their beginnings. Google expands recurring ones.
    ///
    /// - Parameter calendar: by default the user's first.
    /// - Throws: ``GoogleError``.
    package func events(
        of calendar: String = CalendarClient.primary, from start: Date, to end: Date
    ) async throws -> [CalendarEvent] {
        let query = [
            ("singleEvents", "true"), ("orderBy", "startTime"), ("timeMin", Timestamp(start).description),
            ("timeMax", Timestamp(end).description), ("maxResults", "250"), ("maxAttendees", "1"),
            (
                "fields",
                "items(id,iCalUID,status,summary,originalStartTime,start,end,attendees(self,responseStatus)),nextPageToken"
            ),
        ]
        return try await pages(calendar, query).events
    }

    /// Returns what has changed since a look, or everything of the window at the first one and when Google has forgotten the
    /// token (410).
    ///
    /// - Parameters:
    ///   - token: of the last look.
    ///   - start: the beginning of the window of a look at everything.
    ///   - end: its end.
    /// - Throws: ``GoogleError``.
    package func changes(
        of calendar: String = CalendarClient.primary, since token: String?, from start: Date, to end: Date
    ) async throws -> CalendarChanges {
        let query = [
            ("singleEvents", "true"), ("maxResults", "2500"), ("maxAttendees", "1"),
            (
                "fields",
                "items(id,iCalUID,status,originalStartTime,start,end,attendees(self,responseStatus)),"
                    + "nextPageToken,nextSyncToken"
            ),
        ]
        // A window is for a look at everything; Google refuses one beside a token.
        let place =
            token.map { [("syncToken", $0)] }
            ?? [("timeMin", Timestamp(start).description), ("timeMax", Timestamp(end).description)]
        do {
            let (events, next) = try await pages(calendar, query + place)
            return CalendarChanges(events: events, syncToken: next, isFull: token == nil)
        } catch GoogleError.refused(status: 410, _) where token != nil {
            return try await changes(of: calendar, since: nil, from: start, to: end)
        }
    }

    private func pages(
        _ calendar: String, _ query: [(String, String)]
    ) async throws -> (events: [CalendarEvent], syncToken: String?) {
        let path = "\(Self.path)/calendars/\(GoogleOAuth.encoded(calendar))/events"
        var events: [CalendarEvent] = []
        var page: String?
        for _ in 0..<Self.mostPages {
            let answer = try await api.get(path, query + (page.map { [("pageToken", $0)] } ?? []))
            // A page may be empty and still have a next one.
            events += (answer["items"]?.arrayValue ?? []).compactMap(CalendarEvent.init)
            page = answer["nextPageToken"]?.stringValue
            if page == nil { return (events, answer["nextSyncToken"]?.stringValue) }
        }
        throw GoogleError.malformed("the calendar has more than \(Self.mostPages) pages")
    }
}
