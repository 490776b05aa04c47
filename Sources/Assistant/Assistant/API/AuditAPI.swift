import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird

/// The events of the user (specification, section 7.5): the newest first, page by page.
struct AuditAPI: Sendable {
    let audit: AuditEventStore
    let keys: StateKeys

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/audit-events") { request, context in
            let user = try context.signedIn().userID
            let limit = try pages.limit(of: request)
            let position = try pages.place(of: request, user).map { ListPages.number($0) }
            // One more than asked for tells whether another page follows.
            let found = try await audit.events(of: user, before: position, atMost: limit + 1)
            let page = found.prefix(limit)
            let last = found.count > limit ? page.last : nil
            let next = last.map { pages.cursor(before: ListPages.bytes($0.position), of: user) }
            return Response.json([
                "items": .array(page.map(Self.json)), "next_cursor": next.map(JSONValue.string) ?? .null,
            ])
        }
    }

    /// A place is the position of an event in the user's chain.
    private var pages: ListPages { ListPages(keys: keys, purpose: "audit cursor", placeLength: 8) }

    static func json(_ event: StoredAuditEvent) -> JSONValue {
        [
            "id": .string("ae_\(event.id.uuidString.lowercased())"),
            "timestamp": .string(Timestamp(event.time).description), "event_type": .string(event.event.type),
            "connector": event.event.connector.map(JSONValue.string) ?? .null, "result": .string(event.event.result),
            "metadata": event.event.metadata,
        ]
    }
}
