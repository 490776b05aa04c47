import Clocks
import Encodings
import Foundation

/// An event of one of the mock's calendars.
struct MockEvent: Sendable {
    let id: String
    /// The id of its calendar; `primary` for the user's first.
    var calendar = MockAccount.primary
    var uid: String
    /// The time that an occurrence of a recurring event would have if it had not been moved.
    var originalStart: Date?
    var isAllDay = false
    /// The user's own answer; nil for an event without guests.
    var response: String?
    var title: String
    var start: Date
    var end: Date
    var isCancelled = false
    /// The version of the calendar in which it changed last.
    var version: Int
}

/// A message of the mock's mailbox.
struct MockMessage: Sendable {
    let id: String
    let threadID: String
    let from: String
    let to: String
    let subject: String
    let body: String
    let receivedAt: Date
    let labels: [String]
    /// Other headers.
    let headers: [(String, String)]
    let historyID: Int
}

extension MockAccount {
    /// The name of the user's first calendar.
    package static let primary = "primary"

    /// Adds an event, or changes the one with this id in its calendar.
    ///
    /// - Parameters:
    ///   - calendar: another calendar than the first is added to the list of calendars.
    ///   - uid: the same for all copies of a meeting, and for all occurrences of a recurring one.
    ///   - originalStart: given for an occurrence of a recurring event.
    ///   - isAllDay: lasts whole days of UTC.
    ///   - response: the user's answer, such as `accepted` or `declined`.
    package func put(
        event id: String, _ title: String, from start: Date, to end: Date, in calendar: String = primary,
        uid: String? = nil, originalStart: Date? = nil, isAllDay: Bool = false, response: String? = nil
    ) {
        calendarVersion += 1
        if calendar != Self.primary, !calendars.contains(calendar) { calendars.append(calendar) }
        events.removeAll { $0.id == id && $0.calendar == calendar }
        events.append(
            MockEvent(
                id: id, calendar: calendar, uid: uid ?? "\(id)@mail.example", originalStart: originalStart,
                isAllDay: isAllDay, response: response, title: title, start: start, end: end, version: calendarVersion))
    }

    package func cancel(event id: String, in calendar: String = primary) {
        calendarVersion += 1
        for index in events.indices where events[index].id == id && events[index].calendar == calendar {
            events[index].isCancelled = true
            events[index].version = calendarVersion
        }
    }

    /// Forgets the sync tokens that were given out, which Google does when it likes.
    package func forgetSyncTokens() {
        calendarVersion += 1
        oldestCalendarVersion = calendarVersion
    }

    package func deliver(
        _ id: String, from sender: String, _ subject: String, body: String = "", at time: Date,
        labels: [String] = ["INBOX", "UNREAD"], to: String = "me@mail.example", thread: String? = nil,
        headers: [(String, String)] = []
    ) {
        historyID += 10
        messages.append(
            MockMessage(
                id: id, threadID: thread ?? id, from: sender, to: to, subject: subject, body: body, receivedAt: time,
                labels: labels, headers: headers, historyID: historyID))
    }

    package func delete(message id: String) { messages.removeAll { $0.id == id } }

    /// Forgets the history so far, which Google does after a week or earlier.
    package func forgetHistory() {
        historyID += 10
        oldestHistoryID = historyID
    }
}

extension MockEvent {
    /// The event as `events.list` shows it.
    var json: JSONValue {
        if isCancelled { return ["kind": "calendar#event", "id": .string(id), "status": "cancelled"] }
        func time(_ date: Date) -> JSONValue {
            isAllDay
                ? ["date": .string(String(Timestamp(date).description.prefix(10)))]
                : ["dateTime": .string(Timestamp(date).description), "timeZone": "UTC"]
        }
        var event: [String: JSONValue] = [
            "kind": "calendar#event", "id": .string(id), "status": "confirmed", "summary": .string(title),
            "iCalUID": .string(uid), "start": time(start), "end": time(end),
            "description": "a description that was not requested",
        ]
        event["originalStartTime"] = originalStart.map(time)
        if let response {
            event["attendees"] = [
                ["email": "me@mail.example", "self": true, "responseStatus": .string(response)],
                ["email": "host@mail.example", "organizer": true, "responseStatus": "accepted"],
            ]
        }
        return .object(event)
    }
}

extension MockMessage {
    /// The message as `messages.get` shows it in a format.
    func json(format: String, headers: [String]) -> JSONValue {
        let all: [(String, String)] =
            [
                ("From", from), ("To", to), ("Subject", subject), ("Message-ID", "<\(id)@mail.example>"),
            ] + self.headers
        let asked = Set(headers.map { $0.lowercased() })
        let shown = format == "metadata" && !asked.isEmpty ? all.filter { asked.contains($0.0.lowercased()) } : all
        var payload: [String: JSONValue] = [
            "mimeType": "text/plain",
            "headers": .array(shown.map { ["name": .string($0.0), "value": .string($0.1)] }),
        ]
        if format == "full" {
            payload["body"] = [
                "size": .number(Double(body.utf8.count)), "data": .string(Data(body.utf8).base64EncodedString()),
            ]
        }
        var message: [String: JSONValue] = [
            "id": .string(id), "threadId": .string(threadID), "labelIds": .array(labels.map(JSONValue.string)),
            "snippet": .string(String(body.prefix(100))), "historyId": .string(String(historyID)),
            "internalDate": .string(String(Int(receivedAt.timeIntervalSince1970 * 1000))),
            "sizeEstimate": .number(Double(body.utf8.count)),
        ]
        if format != "minimal" { message["payload"] = .object(payload) }
        return .object(message)
    }
}
