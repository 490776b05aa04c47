import AssistantJobs
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird

/// The acts outside that wait for the user (specification, section 10, mitigation 4).
struct ConfirmationAPI: Sendable {
    let confirmations: ConfirmationStore
    let keys: StateKeys
    let clock: BrokerClock

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/confirmations") { _, context in
            let waiting = try await confirmations.pending(of: try context.signedIn().userID, at: clock.now)
            return Response.json(["items": .array(try waiting.map { try Self.json($0, keys) })])
        }
        router.post("v1/confirmations/:id") { request, context in
            let approve = try await RequestFields(request).bool("approve")
            guard let id = context.id() else { throw Self.notFound }
            let decision = try await confirmations.decide(
                id, of: try context.signedIn().userID, approve: approve, job: StatementSubject.job,
                recording: NewAuditEvent(
                    "CONFIRMATION_DECIDED", result: approve ? "APPROVED" : "DENIED",
                    metadata: ["confirmation_id": .string(id.uuidString.lowercased())]), at: clock.now)
            switch decision {
            case .stored, .repeated: return Response.ok
            case .decidedOtherwise:
                throw AssistantError(.conflict, .alreadyDecided, "this was decided otherwise before, and stays so")
            case .noConfirmation: throw Self.notFound
            }
        }
    }

    static func json(_ confirmation: StoredConfirmation, _ keys: StateKeys) throws -> JSONValue {
        let subject = try StatementSubject(confirmation.sealedSubject, of: confirmation.id, keys)
        return [
            "id": .string(confirmation.id.uuidString.lowercased()), "kind": .string(confirmation.kind),
            "state": .string(confirmation.state.rawValue), "title": .string(subject.title),
            "month": .string(subject.month.description), "bank": .string(subject.bank),
            "created_at": .string(Timestamp(confirmation.createdAt).description),
            "expires_at": .string(Timestamp(confirmation.expiresAt).description),
        ]
    }

    private static let notFound = AssistantError(
        .notFound, .confirmationNotFound, "nothing with this id waits for you; GET /v1/confirmations lists what does")
}
