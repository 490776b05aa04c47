import Foundation
import Hummingbird

/// The bank's routes: its pages and forms.
struct BankRoutes: Sendable {
    let configuration: MockBankConfiguration
    let sessions = Sessions()
    let pages: BankPages

    static let cookie = "meridian_session"
    static let firstYear = 2019

    var scenario: Scenario { configuration.scenario }

    init(configuration: MockBankConfiguration) {
        self.configuration = configuration
        pages = BankPages(
            statementsLink: configuration.scenario == .renamedLink ? "Post & documents" : "Statements",
            signInButton: configuration.scenario == .renamedButton ? "Log in" : "Sign in",
            onPage: configuration.onPage)
    }

    func add(to router: Router<BasicRequestContext>) {
        if let onRequest = configuration.onRequest { router.add(middleware: RequestReport(report: onRequest)) }
        router.add(middleware: Faults(scenario, pages: pages))
        if scenario.isStarling { return StarlingRoutes(configuration).add(to: router) }
        if scenario.isSimpleFIN { return SimpleFINRoutes(configuration).add(to: router) }
        if scenario.isInteractiveBrokers { return InteractiveBrokersRoutes(configuration).add(to: router) }
        if scenario.isMonzo { return MonzoRoutes(configuration).add(to: router) }
        if scenario.isEnableBanking { return EnableBankingRoutes(configuration).add(to: router) }
        if scenario.isUp { return UpRoutes(configuration).add(to: router) }
        if scenario.isApp { return addApp(to: router) }
        if scenario.isSinglePage { return addSinglePage(to: router) }
        if scenario == .oldPortal { return addPortal(to: router) }
        router.get("/") { _, _ in page(pages.welcome()) }
        router.get("/login") { request, _ in await loginPage(request) }
        router.post("/login") { request, _ in try await login(request) }
        router.get("/code") { request, _ in await codePage(request) }
        router.post("/code") { request, _ in try await code(request) }
        router.get("/challenge.svg") { request, _ in await challenge(request) }
        router.get("/method") { request, _ in await methodPage(request) }
        router.post("/method") { request, _ in try await method(request) }
        router.get("/confirm") { request, _ in await confirmation(request) }
        router.get("/arrive") { request, _ in await arrival(request) }
        addHolds(to: router)
        addCharacters(to: router)
        if scenario.signsInElsewhere { addHandOver(to: router) }
        if scenario == .webForms { router.post("/statements") { request, _ in try await postBack(request) } }
        router.get("/accounts") { request, _ in await signedIn(request) { page(accounts($0)) } }
        router.get("/statements") { request, _ in await archivePage(request) }
        router.post("/statements/:account/:month/order") { request, context in
            try await order(request, context)
        }
        router.post("/statements/make") { request, _ in try await made(request) }
        router.post("/api/documents") { request, _ in try await documentAddress(request) }
        router.get("/statements/:account/:month") { request, context in
            if scenario == .sessionExpiredAtDownload, let token = token(of: request) {
                await sessions.end(token)
                return redirect("/login?ended=1")
            }
            if scenario == .fiveDocuments, let token = token(of: request), await sessions.countVisit(token) > 5 {
                await sessions.end(token)
                return redirect("/login?ended=1")
            }
            return await signedIn(request) { _ in document(request, context) }
        }
        router.get("/export") { request, _ in await signedIn(request) { _ in export(request) } }
        router.post("/logout") { request, _ in try await logout(request) }
        router.get("/**") { _, _ in page(pages.notFound(), status: .notFound) }
    }

    // MARK: Sessions

    func signedIn(_ request: Request, _ body: (Sessions.Session) -> Response) async -> Response {
        guard let token = token(of: request), let session = await sessions.session(token) else {
            return redirect("/login")
        }
        switch session.stage {
        case .signedIn: break
        case .heldBack: return redirect(hold?.path ?? "/login")
        case .anonymous, .passwordAccepted: return redirect("/login")
        }
        if scenario == .sessionExpired, await sessions.countVisit(token) > 2 {
            await sessions.end(token)
            return redirect("/login?ended=1")
        }
        return body(session)
    }

    var lastMonth: Month { Month(of: configuration.today).previous }

    // MARK: HTTP

    func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        switch scenario {
        case .oddEncoding: Response(bytes: Spelling.windows1252(html), type: "text/html", status: status)
        case .javascriptWall: Response(html: Spelling.byScript(html), status: status)
        default: Response(html: html, status: status)
        }
    }

    func redirect(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }

    func set(_ token: String, on response: inout Response) {
        let flags = "Path=/; HttpOnly; SameSite=Lax" + (configuration.usesTLS ? "; Secure" : "")
        response.headers[.setCookie] = "\(Self.cookie)=\(token); \(flags)"
    }

    func token(of request: Request) -> String? { request.cookies[Self.cookie]?.value }
}

extension Response {
    init(html: String, status: HTTPResponse.Status = .ok) {
        self.init(bytes: Array(html.utf8), type: "text/html; charset=utf-8", status: status)
    }

    init(bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
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
