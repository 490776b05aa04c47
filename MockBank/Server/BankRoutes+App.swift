import Clocks
import Foundation
import HTTPTypes
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
        router.get("/api/accounts") { request, _ in await accountList(request) }
        router.get("/api/statements") { request, _ in await statementList(request) }
        router.post("/api/documents") { request, _ in try await documentAddress(request) }
        router.get("/api/documents/:account/:month") { request, context in await documentState(request, context) }
        router.get("/statements/:account/:month") { request, context in
            await inApp(request) { _ in document(request, context) }
        }
        router.get("/**") { _, _ in refusal(.notFound, "not_found", "There is nothing here.") }
    }

    func refusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
        json(["error": ["code": code, "message": message]], status: status)
    }

    func json(_ value: Any, status: HTTPResponse.Status = .ok) -> Response {
        let data = (try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])) ?? Data()
        return Response(bytes: Array(data), type: "application/json", status: status)
    }

    func body(_ request: Request) async throws -> [String: String] {
        let body = try await request.body.collect(upTo: 64 << 10)
        return (try? JSONSerialization.jsonObject(with: Data(buffer: body)) as? [String: String]) ?? [:]
    }

    /// The value that the header `X-XSRF-TOKEN` must have. It has characters that a cookie has to encode.
    private static func crossSiteToken(_ session: Sessions.Session) -> String { session.csrf + "/+=" }

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
        guard let signedIn = await sessions.session(fresh) else {
            return refusal(.unauthorized, "no_session", Self.ended)
        }
        let bearer = scenario == .xsrfCookie ? nil : signedIn.csrf
        var response = json(["state": "signed_in", "token": bearer].compactMapValues(\.self))
        set(fresh, on: &response)
        if scenario == .xsrfCookie {
            let encoded = Self.crossSiteToken(signedIn).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            response.headers.append(.init(name: .setCookie, value: "XSRF-TOKEN=\(encoded ?? ""); Path=/; SameSite=Lax"))
        }
        return response
    }

    func inApp(
        _ request: Request, needsToken: Bool = true, _ body: (String) async throws -> Response
    ) async rethrows -> Response {
        guard let token = token(of: request), let session = await sessions.session(token), session.stage == .signedIn,
            !needsToken || isTrusted(request, in: session)
        else { return refusal(.unauthorized, "no_session", Self.ended) }
        return try await body(token)
    }

    /// Returns whether a request shows that it comes from the app: by the bearer token, or by the cookie's value in a
    /// header, which a form of another site could not send.
    private func isTrusted(_ request: Request, in session: Sessions.Session) -> Bool {
        guard scenario == .xsrfCookie else { return sessionToken(of: request) == session.csrf }
        guard request.method != .get, let name = HTTPField.Name("X-XSRF-TOKEN") else { return request.method == .get }
        return request.headers[name] == Self.crossSiteToken(session)
    }

    /// The length of one part of the list.
    private static let partLength = 5

    /// Answers with a part of the list of all years, and with the cursor of the next part.
    private func statementPart(_ request: Request) -> Response {
        let all = (Self.firstYear...max(Self.firstYear, lastMonth.year)).reversed().flatMap { year in
            (1...12).reversed().compactMap { month in
                statement(account: Account.all[0].id, month: Month(year: year, month: month))
            }
        }
        let cursor = request.uri.queryParameters.get("from")
        guard let start = cursor.map({ text in all.firstIndex { "\($0.month)/+" == text } }) ?? 0 else {
            return refusal(.badRequest, "no_cursor", "There is no such part of the list.")
        }
        var answer: [String: Any] = ["items": all[start...].prefix(Self.partLength).map(item)]
        if all.indices.contains(start + Self.partLength) { answer["next"] = "\(all[start + Self.partLength].month)/+" }
        return json(answer)
    }

    /// Answers with the accounts: their names hold their numbers, and other requests name them by an id.
    private func accountList(_ request: Request) async -> Response {
        await inApp(request) { _ in
            guard scenario == .jsonAccounts else { return refusal(.notFound, "not_found", "There is nothing here.") }
            return json([
                "accounts": Account.all.map { account in
                    ["id": account.id, "name": "\(account.name) \(account.number)", "currency": "EUR"]
                }
            ])
        }
    }

    /// Answers with the statements of one account whose month lies between two days, such as `from=01.05.2026`.
    private func statementsOfDays(_ request: Request) -> Response {
        let query = request.uri.queryParameters
        guard let account = Account.all.first(where: { $0.id == query.get("account") }) else {
            return refusal(.notFound, "no_account", "There is no such account.")
        }
        guard let from = query.get("from").flatMap(Self.day), let to = query.get("to").flatMap(Self.day), from <= to
        else { return refusal(.badRequest, "no_days", "Say from which day to which, such as 01.05.2026.") }
        let months = (Self.firstYear...max(Self.firstYear, lastMonth.year)).flatMap { year in
            (1...12).map { Month(year: year, month: $0) }
        }
        let inside = months.filter { month in
            from <= "\(month)-01" && "\(month)-\(month.days)" <= to
        }
        return json(["items": inside.compactMap { statement(account: account.id, month: $0) }.map(item)])
    }

    /// Reads `31.05.2026` as `2026-05-31`; nil for another form, and for a day that does not exist.
    private static func day(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return CalendarDate("\(parts[2])-\(parts[1])-\(parts[0])").map { "\($0)" }
    }

    func item(_ statement: Statement) -> [String: Any] {
        [
            "id": "\(statement.account.id)/\(statement.month)", "title": statement.month.name,
            "month": statement.month.month, "year": statement.month.year,
        ]
    }

    private func statementList(_ request: Request) async -> Response {
        await inApp(request) { _ in
            if scenario == .cursorList { return statementPart(request) }
            if scenario == .jsonAccounts { return statementsOfDays(request) }
            let year = request.uri.queryParameters.get("year").flatMap { Int($0) } ?? lastMonth.year
            let items = (1...12).reversed().compactMap { number in
                statement(account: Account.all[0].id, month: Month(year: year, month: number))
            }
            return json(["items": items.map(item)])
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
        return await inApp(request, needsToken: scenario.isApp) { token in
            guard scenario.isApp else { return json(["href": path]) }
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
