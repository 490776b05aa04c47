import AssistantState
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import HummingbirdCore
import JSON
import Secrets

/// The events of the user (specification, section 7.5): the newest first, page by page.
struct AuditAPI: Sendable {
    let audit: AuditEventStore
    let keys: StateKeys

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/audit-events") { request, context in
            let user = try context.signedIn().userID
            let limit = try Self.limit(of: request)
            let position = try Self.parameter("cursor", of: request).map { try self.position($0, of: user) }
            // One more than asked for tells whether another page follows.
            let found = try await audit.events(of: user, before: position, atMost: limit + 1)
            let page = found.prefix(limit)
            let next = found.count > limit ? page.last.map { cursor(before: $0.position, of: user) } : nil
            return Response.json([
                "items": .array(page.map(Self.json)), "next_cursor": next.map(JSONValue.string) ?? .null,
            ])
        }
    }

    private static func limit(of request: Request) throws(AssistantError) -> Int {
        guard let text = try parameter("limit", of: request) else { return 50 }
        guard text.wholeMatch(of: /[1-9][0-9]{0,2}/) != nil, let limit = Int(text), limit <= 200 else {
            throw .invalid("limit", "must be a whole number from 1 to 200")
        }
        return limit
    }

    private static func parameter(_ name: String, of request: Request) throws(AssistantError) -> String? {
        let values = request.uri.queryParameters.filter { $0.key == name }
        guard values.count < 2 else { throw .invalid(name, "is given more than once") }
        return values.first.map { String($0.value) }
    }

    /// A cursor is a place in the user's chain, which later events do not move, with a code that makes it opaque: only
    /// this service can make one.
    private func cursor(before position: Int, of user: UUID) -> String {
        let place = withUnsafeBytes(of: Int64(position).bigEndian) { Array($0) }
        return Base64URL.encode(place + code(place, user))
    }

    private func position(_ cursor: String, of user: UUID) throws(AssistantError) -> Int {
        guard let bytes = Base64URL.decode(cursor), bytes.count == 16,
            ConstantTime.isEqual(code(Array(bytes.prefix(8)), user), bytes.suffix(8))
        else {
            throw AssistantError(.badRequest, .invalidCursor, "“cursor” must be the next_cursor of an earlier page")
        }
        return bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
    }

    private func code(_ place: [UInt8], _ user: UUID) -> [UInt8] {
        Array(keys.digest("\(user.uuidString) \(Base16.encode(place))", for: "audit cursor").prefix(8))
    }

    static func json(_ event: StoredAuditEvent) -> JSONValue {
        [
            "id": .string("ae_\(event.id.uuidString.lowercased())"),
            "timestamp": .string(Timestamp(event.time).description), "event_type": .string(event.event.type),
            "connector": event.event.connector.map(JSONValue.string) ?? .null, "result": .string(event.event.result),
            "metadata": event.event.metadata,
        ]
    }
}
