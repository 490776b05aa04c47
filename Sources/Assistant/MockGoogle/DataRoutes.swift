import Clocks
import Encodings
import Foundation
import Hummingbird

/// The calendar and the mailbox (Calendar API v3, Gmail API v1), as far as the assistant reads them.
struct DataRoutes: Sendable {
    private static let scopes = "https://www.googleapis.com/auth/"

    let account: MockAccount

    func add(to router: Router<BasicRequestContext>) {
        router.get("calendar/v3/users/me/calendarList") { request, _ in
            try await answer(request, "calendar.readonly") { _ in await calendarList() }
        }
        router.get("calendar/v3/calendars/:calendar/events") { request, context in
            let name = String(context.parameters.get("calendar") ?? "")
            let calendar = name.removingPercentEncoding ?? name
            return try await answer(request, "calendar.readonly") { await events(of: calendar, $0) }
        }
        router.get("gmail/v1/users/:user/profile") { request, _ in
            try await answer(request, "gmail.readonly") { _ in await profile() }
        }
        router.get("gmail/v1/users/:user/history") { request, _ in
            try await answer(request, "gmail.readonly") { await history($0) }
        }
        router.get("gmail/v1/users/:user/messages") { request, _ in
            try await answer(request, "gmail.readonly") { await messages($0) }
        }
        router.get("gmail/v1/users/:user/messages/:id") { request, context in
            let id = String(context.parameters.get("id") ?? "")
            return try await answer(request, "gmail.readonly") { await message(id, $0) }
        }
    }

    private enum Outcome {
        case value(JSONValue)
        case error(HTTPResponse.Status, reason: String)
    }

    /// Answers a call when its token has the scope, and shows the fields that were asked for.
    private func answer(
        _ request: Request, _ scope: String, _ body: (FormFields) async -> Outcome
    ) async throws -> Response {
        await account.note(String(request.uri.description))
        if let fault = await account.nextFault() { return Self.answer(fault) }
        let parts = (request.headers[.authorization] ?? "").split(separator: " ")
        guard parts.count == 2, let granted = await account.scopes(of: String(parts[1])) else {
            return Self.error(.unauthorized, "authError", "Invalid Credentials", status: "UNAUTHENTICATED")
        }
        guard granted.contains(Self.scopes + scope) else {
            return Self.error(
                .forbidden, "insufficientPermissions", "Request had insufficient authentication scopes.",
                status: "PERMISSION_DENIED")
        }
        let query = FormFields(request.uri.query ?? "")
        switch await body(query) {
        case .error(let status, let reason): return Self.error(status, reason, "The request failed: \(reason)")
        case .value(let json):
            guard let fields = query["fields"] else { return Self.json(json) }
            guard let mask = FieldMask(fields) else {
                return Self.error(.badRequest, "invalidParameter", "Invalid field selection \(fields)")
            }
            return Self.json(mask.applied(to: json))
        }
    }

    // MARK: Calendar

    private func calendarList() async -> Outcome {
        let others = await account.calendars.map { id -> JSONValue in
            ["kind": "calendar#calendarListEntry", "id": .string(id), "accessRole": "owner", "selected": true]
        }
        let first: JSONValue = [
            "kind": "calendar#calendarListEntry", "id": "me@mail.example", "primary": true, "accessRole": "owner",
            "selected": true,
        ]
        return .value(["kind": "calendar#calendarList", "items": .array([first] + others)])
    }

    private func events(of calendar: String, _ query: FormFields) async -> Outcome {
        let calendar = calendar == "me@mail.example" ? MockAccount.primary : calendar
        let calendars = [MockAccount.primary] + (await account.calendars)
        guard calendars.contains(calendar) else {
            return .error(.notFound, reason: "notFound")
        }
        let version = await account.calendarVersion
        var found = await account.events.filter { $0.calendar == calendar }
        if let token = query["syncToken"] {
            for forbidden in ["orderBy", "timeMin", "timeMax", "q", "updatedMin"] where query[forbidden] != nil {
                return .error(.badRequest, reason: "invalid")
            }
            guard let since = Int(token.dropFirst("sync-".count)), token.hasPrefix("sync-"),
                since >= (await account.oldestCalendarVersion)
            else { return .error(.gone, reason: "fullSyncRequired") }
            found = found.filter { $0.version > since }
        } else {
            found = found.filter { !$0.isCancelled }
        }
        if query["orderBy"] == "startTime", query["singleEvents"] != "true" {
            return .error(.badRequest, reason: "badRequest")
        }
        if let start = query["timeMin"].flatMap({ Timestamp($0)?.date }) { found = found.filter { $0.end > start } }
        if let end = query["timeMax"].flatMap({ Timestamp($0)?.date }) { found = found.filter { $0.start < end } }
        if query["orderBy"] == "startTime" { found.sort { $0.start < $1.start } }
        return .value(
            Self.page(
                found.map(\.json), "items", query, most: 2500, usual: 250,
                last: ["nextSyncToken": .string("sync-\(version)")],
                always: ["kind": "calendar#events", "summary": "me@mail.example", "timeZone": "UTC"]))
    }

    // MARK: Mail

    private func profile() async -> Outcome {
        .value([
            "emailAddress": "me@mail.example", "messagesTotal": .number(Double(await account.messages.count)),
            "threadsTotal": .number(Double(await account.messages.count)),
            "historyId": .string(String(await account.historyID)),
        ])
    }

    private func history(_ query: FormFields) async -> Outcome {
        guard let start = query["startHistoryId"].flatMap({ Int($0) }) else {
            return .error(.badRequest, reason: "invalidArgument")
        }
        guard start >= (await account.oldestHistoryID) else { return .error(.notFound, reason: "notFound") }
        let records = await account.messages.filter { message in
            message.historyID > start && query["labelId"].map(message.labels.contains) != false
        }.map { message -> JSONValue in
            let reference: JSONValue = [
                "id": .string(message.id), "threadId": .string(message.threadID),
                "labelIds": .array(message.labels.map(JSONValue.string)),
            ]
            return [
                "id": .string(String(message.historyID)), "messages": [reference],
                "messagesAdded": [["message": reference]],
            ]
        }
        return .value(
            Self.page(
                records, "history", query, most: 500, usual: 100, last: [:],
                always: ["historyId": .string(String(await account.historyID))]))
    }

    /// Lists messages, the newest first. Of searches, `after:` with a time in seconds is known.
    private func messages(_ query: FormFields) async -> Outcome {
        var found = await account.messages
        for label in query.all("labelIds") { found = found.filter { $0.labels.contains(label) } }
        if let search = query["q"] {
            guard search.hasPrefix("after:"), let start = Double(search.dropFirst("after:".count)) else {
                return .error(.badRequest, reason: "invalidArgument")
            }
            found = found.filter { $0.receivedAt.timeIntervalSince1970 > start }
        }
        found.sort { $0.receivedAt > $1.receivedAt }
        let items = found.map { message -> JSONValue in
            ["id": .string(message.id), "threadId": .string(message.threadID)]
        }
        return .value(
            Self.page(
                items, "messages", query, most: 500, usual: 100, last: [:],
                always: ["resultSizeEstimate": .number(Double(items.count))]))
    }

    private func message(_ id: String, _ query: FormFields) async -> Outcome {
        guard let message = await account.messages.first(where: { $0.id == id }) else {
            return .error(.notFound, reason: "notFound")
        }
        let format = query["format"] ?? "full"
        guard ["minimal", "metadata", "full"].contains(format) else {
            return .error(.badRequest, reason: "invalidArgument")
        }
        return .value(message.json(format: format, headers: query.all("metadataHeaders")))
    }

    // MARK: Answers

    /// Cuts a list into pages. The members of `last` come with the last page only.
    private static func page(
        _ items: [JSONValue], _ name: String, _ query: FormFields, most: Int, usual: Int, last: [String: JSONValue],
        always: [String: JSONValue]
    ) -> JSONValue {
        let size = min(most, max(1, query["maxResults"].flatMap { Int($0) } ?? usual))
        let start = min(items.count, query["pageToken"].flatMap { Int($0.dropFirst("page-".count)) } ?? 0)
        let end = min(items.count, start + size)
        var members = always
        members[name] = .array(Array(items[start..<end]))
        if end < items.count {
            members["nextPageToken"] = .string("page-\(end)")
        } else {
            members.merge(last) { $1 }
        }
        return .object(members)
    }

    static func answer(_ fault: MockAccount.Fault) -> Response {
        switch fault {
        case .garbage:
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "<html>not JSON")))
        case .userRateLimit:
            return error(.forbidden, "userRateLimitExceeded", "User Rate Limit Exceeded", status: "PERMISSION_DENIED")
        case .status(let code, let wait):
            var response = error(.init(code: code), code == 429 ? "rateLimitExceeded" : "backendError", "a fault")
            if let wait { response.headers[.retryAfter] = String(wait) }
            return response
        }
    }

    private static func error(
        _ code: HTTPResponse.Status, _ reason: String, _ message: String, status: String = "FAILED"
    ) -> Response {
        json(
            [
                "error": [
                    "code": .number(Double(code.code)), "message": .string(message), "status": .string(status),
                    "errors": [["message": .string(message), "domain": "global", "reason": .string(reason)]],
                ]
            ], status: code)
    }

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=UTF-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: value.compactBytes())))
    }
}
