import AssistantMail
import AssistantState
import AssistantStore
import Clocks
import Foundation
import Hummingbird
import JSON

/// Alerts of urgent mail, and the user's judgement of them.
struct AlertAPI: Sendable {
    let alerts: AlertStore
    let keys: StateKeys
    /// Called once for each new judgement.
    let onFeedback: @Sendable (Bool) -> Void

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
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
