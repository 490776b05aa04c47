import Foundation
import Hummingbird

// The bank as a single-page app: an empty page, a script, and a JSON API.

extension BankRoutes {
    private func sessionToken(of request: Request) -> String? {
        guard let value = request.headers[.authorization], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    func addApp(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in Response(html: pages.app()) }
        router.get("/login") { _, _ in Response(html: pages.app()) }
        router.get("/app.js") { _, _ in Response(bytes: Array(PageResources.script.utf8), type: "text/javascript") }
        router.post("/api/session") { request, _ in try await signInToApp(request) }
        router.post("/api/session/code") { request, _ in try await codeOfApp(request) }
        router.delete("/api/session") { request, _ in
            if let token = token(of: request) { await sessions.end(token) }
            return Response(status: .noContent)
        }
        router.get("/api/statements") { request, _ in await statementList(request) }
        router.post("/api/documents") { request, _ in try await documentAddress(request) }
        router.get("/api/documents/:account/:month") { request, context in await documentState(request, context) }
        router.get("/statements/:account/:month") { request, context in
            await inApp(request) { _ in document(context) }
        }
        router.get("/**") { _, _ in refusal(.notFound, "not_found", "There is nothing here.") }
    }

    private func refusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
        json(["error": ["code": code, "message": message]], status: status)
    }

    private func json(_ value: Any, status: HTTPResponse.Status = .ok) -> Response {
        let data = (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])) ?? Data()
        return Response(bytes: Array(data), type: "application/json", status: status)
    }

    private func body(_ request: Request) async throws -> [String: String] {
        let body = try await request.body.collect(upTo: 64 << 10)
        return (try? JSONSerialization.jsonObject(with: Data(buffer: body)) as? [String: String]) ?? [:]
    }

    private func signInToApp(_ request: Request) async throws -> Response {
        let fields = try await body(request)
        guard isRight(fields["username"], fields["password"]) else {
            return refusal(.unauthorized, "invalid_credentials", "The username or password is not right.")
        }
        var response = json(["state": "code_required", "message": "We have sent a code to the phone ending in 42."])
        set(await sessions.begin(at: .passwordAccepted), on: &response)
        return response
    }

    private func codeOfApp(_ request: Request) async throws -> Response {
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted
        else { return refusal(.unauthorized, "no_session", Self.ended) }
        guard isRight(code: try await body(request)["code"]) else {
            return refusal(.unauthorized, "invalid_code", "That code is not right.")
        }
        let fresh = await sessions.raise(token, to: .signedIn)
        var response = json(["state": "signed_in", "token": await sessions.session(fresh)?.csrf ?? ""])
        set(fresh, on: &response)
        return response
    }

    private func inApp(
        _ request: Request, needsToken: Bool = true, _ body: (String) async throws -> Response
    ) async rethrows -> Response {
        guard let token = token(of: request), let session = await sessions.session(token), session.stage == .signedIn,
            !needsToken || sessionToken(of: request) == session.csrf
        else { return refusal(.unauthorized, "no_session", Self.ended) }
        return try await body(token)
    }

    private func statementList(_ request: Request) async -> Response {
        await inApp(request) { _ in
            let year = request.uri.queryParameters.get("year").flatMap { Int($0) } ?? lastMonth.year
            let items = (1...12).reversed().compactMap { number in
                statement(account: Account.all[0].id, month: Month(year: year, month: number))
            }
            return json([
                "items": items.map { statement in
                    [
                        "id": "\(statement.account.id)/\(statement.month)", "title": statement.month.name,
                        "month": statement.month.month, "year": statement.month.year,
                    ] as [String: Any]
                }
            ])
        }
    }

    /// Answers with the address of a document, or with its state if it must be prepared first.
    func documentAddress(_ request: Request) async throws -> Response {
        let fields = try await body(request)
        let parts = fields["id"]?.split(separator: "/").map(String.init) ?? []
        guard parts.count == 2, let statement = statement(account: parts[0], month: Month(parts[1])) else {
            return refusal(.notFound, "no_statement", "There is no such statement.")
        }
        let path = "/statements/\(statement.account.id)/\(statement.month)"
        return await inApp(request, needsToken: scenario == .jsonBank) { token in
            guard scenario == .jsonBank else { return json(["href": path]) }
            await sessions.order(path, by: token)
            return json(["state": "preparing"], status: .accepted)
        }
    }

    private func documentState(_ request: Request, _ context: BasicRequestContext) async -> Response {
        await inApp(request) { token in
            guard let statement = statement(context) else {
                return refusal(.notFound, "no_statement", "There is no such statement.")
            }
            await sessions.look(token)
            let path = "/statements/\(statement.account.id)/\(statement.month)"
            guard let looks = await sessions.session(token)?.orders[path] else {
                return refusal(.notFound, "not_ordered", "This statement has not been asked for.")
            }
            guard looks >= Self.looksUntilReady else { return json(["state": "preparing"]) }
            return json(["state": "ready", "href": path])
        }
    }
}
