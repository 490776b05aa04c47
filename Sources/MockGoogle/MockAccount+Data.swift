import Clocks
import Foundation
import JSON

/// An event of the mock's calendar.
struct MockEvent: Sendable {
    let id: String
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
    let from: String
    let subject: String
    let body: String
    let receivedAt: Date
    let labels: [String]
    let historyID: Int
}

extension MockAccount {
    /// Adds an event, or changes the one with this id.
    package func put(event id: String, _ title: String, from start: Date, to end: Date) {
        calendarVersion += 1
        events.removeAll { $0.id == id }
        events.append(MockEvent(id: id, title: title, start: start, end: end, version: calendarVersion))
    }

    package func cancel(event id: String) {
        calendarVersion += 1
        for index in events.indices where events[index].id == id {
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
        labels: [String] = ["INBOX", "UNREAD"]
    ) {
        historyID += 10
        messages.append(
            MockMessage(
                id: id, from: sender, subject: subject, body: body, receivedAt: time, labels: labels,
                historyID: historyID))
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
        return [
            "kind": "calendar#event", "id": .string(id), "status": "confirmed", "summary": .string(title),
            "start": ["dateTime": .string(Timestamp(start).description)],
            "end": ["dateTime": .string(Timestamp(end).description)],
            "description": "a description that was not requested",
        ]
    }
}

extension MockMessage {
    /// The message as `messages.get` shows it in a format.
    func json(format: String, headers: [String]) -> JSONValue {
        let all: [(String, String)] = [
            ("From", from), ("To", "me@mail.example"), ("Subject", subject), ("Message-ID", "<\(id)@mail.example>"),
        ]
        let shown = format == "metadata" && !headers.isEmpty ? all.filter { headers.contains($0.0) } : all
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
            "id": .string(id), "threadId": .string(id), "labelIds": .array(labels.map(JSONValue.string)),
            "snippet": .string(String(body.prefix(100))), "historyId": .string(String(historyID)),
            "internalDate": .string(String(Int(receivedAt.timeIntervalSince1970 * 1000))),
            "sizeEstimate": .number(Double(body.utf8.count)),
        ]
        if format != "minimal" { message["payload"] = .object(payload) }
        return .object(message)
    }
}
