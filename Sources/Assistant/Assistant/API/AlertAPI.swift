import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird

/// Alerts of urgent mail, and the user's judgement of them.
struct AlertAPI: Sendable {
    let alerts: AlertStore
    let keys: StateKeys
    /// Called once for each new judgement.
    let onFeedback: @Sendable (Bool) -> Void

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/alerts") { request, context in try await list(request, context) }
        router.get("v1/alerts/:id") { _, context in
            guard let id = context.id(),
                let alert = try await alerts.alert(id, of: try context.signedIn().userID)
            else { throw Self.notFound }
            return Response.json(try Self.json(alert, keys))
        }
        router.post("v1/alerts/:id/feedback") { request, context in
            let isUrgent = try await RequestFields(request).bool("urgent")
            guard let id = context.id() else { throw Self.notFound }
            switch try await alerts.judge(id, of: try context.signedIn().userID, isUrgent: isUrgent) {
            case .noAlert: throw Self.notFound
            case .stored: onFeedback(isUrgent)
            case .repeated: break
            }
            return Response.ok
        }
    }

    /// Answers a page of alerts. One that cannot be opened any more is left out, so that the others stay readable.
    private func list(_ request: Request, _ context: AssistantContext) async throws -> Response {
        let user = try context.signedIn().userID
        let limit = try pages.limit(of: request)
        let place = try pages.place(of: request, user).flatMap(AlertPlace.init(bytes:))
        // One more than asked for tells whether another page follows.
        let found = try await alerts.newest(of: user, before: place, atMost: limit + 1)
        let page = found.prefix(limit)
        let last = found.count > limit ? page.last : nil
        let next = last.map { pages.cursor(before: AlertPlace($0).bytes, of: user) }
        return Response.json([
            "items": .array(page.compactMap { try? Self.json($0, keys) }),
            "next_cursor": next.map(JSONValue.string) ?? .null,
        ])
    }

    private var pages: ListPages { ListPages(keys: keys, purpose: "alert cursor", placeLength: AlertPlace.length) }

    static func json(_ alert: StoredAlert, _ keys: StateKeys) throws -> JSONValue {
        let mail = try AlertedMail(alert.sealedMail, of: alert.id, keys)
        return [
            "id": .string(alert.id.uuidString.lowercased()), "from": .string(mail.from),
            "subject": .string(mail.subject), "received_at": .string(Timestamp(mail.receivedAt).description),
            "rules": .array(alert.rules.map(JSONValue.string)),
            "urgent": alert.isUrgent.map(JSONValue.bool) ?? .null,
        ]
    }

    private static let notFound = AssistantError(.notFound, .alertNotFound, "you have no alert with this id")
}

extension AlertPlace {
    /// The bytes of a place in a cursor: the milliseconds since 1970, and the alert's id.
    fileprivate static let length = 24

    fileprivate var bytes: [UInt8] {
        ListPages.bytes(Int((createdAt.timeIntervalSince1970 * 1000).rounded()))
            + withUnsafeBytes(of: id.uuid, Array.init)
    }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.init(
            createdAt: Date(timeIntervalSince1970: Double(ListPages.number(bytes.prefix(8))) / 1000),
            id: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: 8, as: uuid_t.self)) })
    }
}
