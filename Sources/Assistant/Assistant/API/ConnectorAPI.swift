import AssistantProcesses
import AssistantStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Secrets

/// The user's connections to Google (specification, section 7.3).
struct ConnectorAPI: Sendable {
    private static let prefix = "con_"

    /// Nil when no Google client is set up.
    let google: GoogleConnecting?
    let connectors: ConnectorStore

    func addRoutes(to router: some RouterMethods<AssistantContext>) {
        router.post("v1/connectors/google/start") { request, context in
            let fields = try await RequestFields(request)
            let (url, state) = try await connecting().start(
                try context.signedIn(), redirectURI: try fields.text("redirect_uri", atMost: 512))
            return Response.json(["auth_url": .string(url), "state": .string(state)])
        }
        router.post("v1/connectors/google/callback") { request, context in
            try await finish(RequestFields(request), try context.signedIn())
        }
        router.get("v1/connectors") { _, context in
            let stored = try await connectors.connectors(of: try context.signedIn().userID)
            return Response.json(["items": .array(stored.map(Self.json))])
        }
        router.delete("v1/connectors/:connector_id") { _, context in
            let shown = String(context.parameters.get("connector_id") ?? "")
            guard shown.hasPrefix(Self.prefix), let id = UUID(uuidString: String(shown.dropFirst(Self.prefix.count))),
                let connector = try await connectors.connector(id, of: try context.signedIn().userID)
            else {
                throw AssistantError(
                    .notFound, .connectorNotFound, "you have no connection with this id; GET /v1/connectors lists them")
            }
            if connector.status != .revoked { try await connecting().disconnect(connector) }
            return Response.json(["status": .string(StoredConnector.Status.revoked.rawValue)])
        }
    }

    private func finish(_ fields: RequestFields, _ session: StoredSession) async throws -> Response {
        let connecting = try connecting()
        let state = try fields.text("state", atMost: 512)
        if let reason = try fields.optionalText("error", atMost: 512) {
            try await connecting.refuse(session, state: state)
            throw AssistantError(
                .badRequest, .consentDenied,
                reason == "access_denied"
                    ? "the user did not consent; start again when they want to"
                    : "Google did not ask the user for consent; start again, and check the client's settings at Google")
        }
        let connector = try await connecting.finish(
            session, code: try fields.secret("code", atMost: 2048), state: state)
        return Response.json([
            "connector_id": .string(Self.name(connector)), "status": .string(connector.status.rawValue),
            "granted_scopes": .array(connector.scopes.map(JSONValue.string)),
        ])
    }

    private func connecting() throws(AssistantError) -> GoogleConnecting {
        guard let google else {
            throw AssistantError(
                .serviceUnavailable, .unavailable,
                "Google is not set up here; the operator of this service sets ASSISTANT_GOOGLE_CLIENT_ID")
        }
        return google
    }

    private static func name(_ connector: StoredConnector) -> String {
        prefix + connector.id.uuidString.lowercased()
    }

    static func json(_ connector: StoredConnector) -> JSONValue {
        let granted = connector.scopes.compactMap(GoogleScope.init(rawValue:))
        var members: [String: JSONValue] = [
            "connector_id": .string(name(connector)), "provider": .string(connector.provider),
            "status": .string(connector.status.rawValue),
            "granted_scopes": .array(granted.map { .string($0.rawValue) }),
            "missing_scopes": .array(GoogleScope.missing(from: granted).map { .string($0.rawValue) }),
            "created_at": .string(Timestamp(connector.createdAt).description),
        ]
        members["message"] = message(connector.status, GoogleScope.missing(from: granted)).map(JSONValue.string)
        return .object(members)
    }

    /// Tells what a user should know of a connection, if anything.
    private static func message(_ status: StoredConnector.Status, _ missing: [GoogleScope]) -> String? {
        switch status {
        case .needsReconnect: GoogleError.invalidGrant.description
        case .active where missing == [.calendar]:
            "without the calendar the assistant cannot remind, and the brief has no meetings"
        case .active where missing == [.mail]: "without the mail the assistant cannot alert of urgent mail"
        case .active where !missing.isEmpty: "nothing was granted, so the assistant sees nothing; connect again"
        case .active, .revoked: nil
        }
    }
}
