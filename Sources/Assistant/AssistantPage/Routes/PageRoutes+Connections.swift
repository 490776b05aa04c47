import Assistant
import Encodings
import Foundation
import HTTPTypes
import Hummingbird

/// The connections to Google.
extension PageRoutes {
    func addConnections(to router: Router<PageContext>) {
        router.get("/connections") { request, context in try await connections(request, context) }
        router.post("/connections/google/start") { request, context in try await startConsent(request, context) }
        router.get("/connections/google/callback") { request, context in try await finishConsent(request, context) }
        router.post("/connections/:id/end") { request, context in try await endConnection(request, context) }
    }

    private func connections(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        let items = try await api.send(.get, "/v1/connectors")["items"]?.arrayValue ?? []
        let connected = items.filter { $0["status"] != "REVOKED" }
        return PageViews.page(
            "connections", title: PageText.of("place.connections"), session: api.session, in: .connections,
            [
                "connectors": connected.map { PageViews.connector($0) },
                "isEmpty": connected.isEmpty,
                "done": request.uri.queryParameters["connected"] == "yes",
                "ended": request.uri.queryParameters["ended"] == "yes",
                "canConnect": settings.redirectURI != nil,
            ])
    }

    /// Answers the page's script with the address at which the person consents. It is not a redirection: the content
    /// policy lets forms lead to this site only.
    private func startConsent(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, _) = try await PageRequest.json(request, context)
        guard let redirectURI = settings.redirectURI else { throw PageRefusal.notFound }
        let answer = try await api.send(
            .post, "/v1/connectors/google/start", ["redirect_uri": .string(redirectURI)])
        return Response.json(["auth_url": answer["auth_url"] ?? .null])
    }

    /// Takes what Google sent the browser back with. The API knows which session asked, so another site cannot send a
    /// browser here with a code of its own.
    private func finishConsent(_ request: Request, _ context: PageContext) async throws -> Response {
        let api = try context.api()
        _ = try api.signedIn()
        var body: [String: JSONValue] = [:]
        for name in ["state", "code", "error"] {
            body[name] = request.uri.queryParameters[Substring(name)].map { .string(String($0)) }
        }
        try await api.send(.post, "/v1/connectors/google/callback", .object(body))
        return .redirect(to: "/connections?connected=yes", type: .normal)
    }

    private func endConnection(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, _) = try await PageRequest.form(request, context)
        try await api.send(.delete, "/v1/connectors/\(try Self.pathID(context))")
        return .redirect(to: "/connections?ended=yes", type: .normal)
    }
}
