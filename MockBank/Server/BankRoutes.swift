import Foundation
import Hummingbird

/// The bank's pages and what happens on them.
struct BankRoutes: Sendable {
    let configuration: MockBankConfiguration
    private let sessions = Sessions()
    private let pages = BankPages()

    private static let cookie = "meridian_session"
    private static let rowsPerPage = 5
    private static let firstYear = 2019

    init(configuration: MockBankConfiguration) {
        self.configuration = configuration
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in page(pages.welcome()) }
        router.get("/login") { request, _ in await loginPage(request) }
        router.post("/login") { request, _ in try await login(request) }
        router.get("/code") { request, _ in await codePage(request) }
        router.post("/code") { request, _ in try await code(request) }
        router.get("/accounts") { request, _ in await signedIn(request) { page(accounts($0)) } }
        router.get("/statements") { request, _ in await signedIn(request) { archive(request, $0) } }
        router.get("/statements/:account/:month") { request, context in
            await signedIn(request) { _ in document(context) }
        }
        router.post("/logout") { request, _ in try await logout(request) }
        router.get("/**") { _, _ in page(pages.notFound(), status: .notFound) }
    }

    // MARK: Signing in and out

    private func loginPage(_ request: Request, error: String? = nil, status: HTTPResponse.Status = .ok) async
        -> Response
    {
        var token = token(of: request)
        var session = await sessions.session(token)
        if session == nil || session?.stage != .anonymous { (token, session) = await sessions.begin() }
        var response = page(pages.login(csrf: session?.csrf ?? "", error: error), status: status)
        if let token { set(token, on: &response) }
        return response
    }

    private func login(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token), form["_csrf"] == session.csrf
        else {
            return await loginPage(request, error: "Your session has ended. Please sign in again.", status: .forbidden)
        }
        guard form["username"] == configuration.username, form["password"] == configuration.password else {
            return await loginPage(request, error: "The username or password is not right. Please try again.")
        }
        var response = redirect("/code")
        set(await sessions.raise(token, to: .passwordAccepted), on: &response)
        return response
    }

    private func codePage(_ request: Request, error: String? = nil) async -> Response {
        guard let session = await sessions.session(token(of: request)), session.stage == .passwordAccepted else {
            return redirect("/login")
        }
        return page(pages.code(csrf: session.csrf, error: error))
    }

    private func code(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted, form["_csrf"] == session.csrf
        else { return redirect("/login") }
        guard form["code"] == configuration.oneTimeCode else {
            guard await sessions.countCodeTry(token) < 3 else {
                await sessions.end(token)
                return redirect("/login")
            }
            return await codePage(request, error: "That code is not right. Please check your phone and try again.")
        }
        var response = redirect("/accounts")
        set(await sessions.raise(token, to: .signedIn), on: &response)
        return response
    }

    private func logout(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        if let token = token(of: request), let session = await sessions.session(token), form["_csrf"] == session.csrf {
            await sessions.end(token)
        }
        var response = page(pages.goodbye())
        let flags = "Path=/; HttpOnly; SameSite=Lax; Max-Age=0" + (configuration.usesTLS ? "; Secure" : "")
        response.headers[.setCookie] = "\(Self.cookie)=; \(flags)"
        return response
    }

    // MARK: Inside

    private func signedIn(_ request: Request, _ body: (Sessions.Session) -> Response) async -> Response {
        guard let session = await sessions.session(token(of: request)), session.stage == .signedIn else {
            return redirect("/login")
        }
        return body(session)
    }

    private var lastMonth: Month { Month(of: configuration.today).previous }

    private func accounts(_ session: Sessions.Session) -> String {
        let rows = Account.all.map { account in
            [
                "name": account.name, "number": account.number,
                "balance": money(account.balance(endOf: lastMonth)),
            ]
        }
        return pages.accounts(rows, csrf: session.csrf)
    }

    private func archive(_ request: Request, _ session: Sessions.Session) -> Response {
        let query = request.uri.queryParameters
        let account = Account.all.first { $0.id == query.get("account") } ?? Account.all[0]
        let years = (Self.firstYear...max(Self.firstYear, lastMonth.year)).reversed()
        let year = query.get("year").flatMap { Int($0) }.flatMap { years.contains($0) ? $0 : nil } ?? lastMonth.year
        let months = (1...12).map { Month(year: year, month: $0) }.filter { $0 <= lastMonth }.reversed()
        let pageCount = max(1, (months.count + Self.rowsPerPage - 1) / Self.rowsPerPage)
        let number = min(max(1, query.get("page").flatMap { Int($0) } ?? 1), pageCount)
        let shown = months.dropFirst((number - 1) * Self.rowsPerPage).prefix(Self.rowsPerPage)
        return page(
            pages.statements(
                .init(
                    account: account, years: Array(years), year: year, months: Array(shown), page: number,
                    pageCount: pageCount, csrf: session.csrf)))
    }

    private func document(_ context: BasicRequestContext) -> Response {
        guard let account = Account.all.first(where: { $0.id == context.parameters.get("account") }),
            let month = context.parameters.get("month").flatMap({ Month(String($0)) }), month <= lastMonth,
            month.year >= Self.firstYear
        else { return page(pages.notFound(), status: .notFound) }
        let statement = Statement(account: account, month: month)
        var headers = HTTPFields()
        headers[.contentType] = "application/pdf"
        headers[.contentDisposition] = "attachment; filename=\"\(statement.fileName)\""
        headers[.cacheControl] = "no-store"
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: statement.pdf())))
    }

    // MARK: HTTP

    private func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    private func redirect(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }

    private func set(_ token: String, on response: inout Response) {
        let flags = "Path=/; HttpOnly; SameSite=Lax" + (configuration.usesTLS ? "; Secure" : "")
        response.headers[.setCookie] = "\(Self.cookie)=\(token); \(flags)"
    }

    private func token(of request: Request) -> String? { request.cookies[Self.cookie]?.value }
}

/// The fields of an urlencoded form.
struct FormFields {
    private var values: [String: String] = [:]

    init(_ request: Request) async throws {
        let body = try await request.body.collect(upTo: 64 << 10)
        for pair in String(buffer: body).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            values[decoded[0]] = decoded.count > 1 ? decoded[1] : ""
        }
    }

    subscript(name: String) -> String? { values[name] }
}
