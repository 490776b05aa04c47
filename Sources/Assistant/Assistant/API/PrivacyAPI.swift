import AssistantStore
import Clocks
import Crypto
import Encodings
import Hummingbird

/// Requests to delete everything (specification, section 7.5). The session that asks is over with the answer.
struct PrivacyAPI: Sendable {
    private static let prefix = "del_"

    let requests: PrivacyRequestStore
    let clock: BrokerClock
    /// Called once a request is stored.
    let onAccepted: @Sendable () -> Void

    func addSignedInRoutes(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/privacy/delete-all") { _, context in
            let id = Base16.encode(SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
            let request = try await requests.accept(id, of: try context.signedIn().userID, at: clock.now)
            onAccepted()
            return Response.json(Self.json(request), status: .accepted)
        }
    }

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.get("v1/privacy/requests/:id") { _, context in
            let shown = String(context.parameters.get("id") ?? "")
            guard shown.hasPrefix(Self.prefix), Base16.isEncoding(shown.dropFirst(Self.prefix.count), ofBytes: 16),
                let request = try await requests.request(String(shown.dropFirst(Self.prefix.count)))
            else { throw AssistantError(.notFound, .requestNotFound, "no privacy request has this id") }
            return Response.json(Self.json(request))
        }
    }

    private static func json(_ request: PrivacyRequest) -> JSONValue {
        ["request_id": .string(prefix + request.id), "status": .string(request.status.rawValue)]
    }
}
