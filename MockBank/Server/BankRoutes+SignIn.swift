import Foundation
import Hummingbird

// User name and password, then a code or an approval in the bank's app.

extension BankRoutes {
    static let ended = "Your session has ended. Please sign in again."
    private static let probe = "meridian_probe"

    func loginPage(_ request: Request, error: String? = nil, status: HTTPResponse.Status = .ok) async -> Response {
        if let response = authorization(request) { return response }
        if let elsewhere = loginElsewhere(request) { return redirect(elsewhere) }
        if let response = cookieProbe(request) { return response }
        var token = token(of: request)
        var session = await sessions.session(token)
        if session == nil || session?.stage != .anonymous { (token, session) = await sessions.begin() }
        let hasEnded = request.uri.queryParameters.get("ended") != nil
        var response = page(
            pages.login(csrf: session?.csrf ?? "", error: error ?? (hasEnded ? Self.ended : nil)), status: status)
        if let token { set(token, on: &response) }
        keepState(of: request, in: &response)
        return response
    }

    /// Returns the address of the sign-in page if it is on another host than the request's.
    private func loginElsewhere(_ request: Request) -> String? {
        guard scenario.signsInElsewhere, let host = request.head.authority, host.hasPrefix("localhost") else {
            return nil
        }
        return "\(scheme)://127.0.0.1\(host.dropFirst("localhost".count))/login"
    }

    var scheme: String { configuration.usesTLS ? "https" : "http" }

    /// Sets a cookie and checks that it comes back.
    private func cookieProbe(_ request: Request) -> Response? {
        guard scenario == .cookiesRequired, request.cookies[Self.probe] == nil else { return nil }
        guard request.uri.queryParameters.get("probe") == nil else { return page(pages.cookiesNeeded()) }
        var response = redirect("/login?probe=1")
        response.headers[.setCookie] = "\(Self.probe)=1; Path=/"
        return response
    }

    func login(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token), form["_csrf"] == session.csrf
        else { return await loginPage(request, error: Self.ended, status: .forbidden) }
        guard isRight(form["username"], form["password"]) else {
            return await loginPage(request, error: "The username or password is not right. Please try again.")
        }
        if scenario == .accountLocked {
            await sessions.end(token)
            return page(pages.locked())
        }
        if await isKnown(request) { return await knowing(letIn(token, at: request)) }
        let next =
            switch scenario {
            case .push, .pushUnanswered: "/confirm"
            case .choiceOfMethods: "/method"
            case .memorableWord: "/word"
            case .pinPad: "/pin"
            default: "/code"
            }
        var response = redirect(next)
        set(await sessions.raise(token, to: .passwordAccepted), on: &response)
        return response
    }

    func isRight(_ username: String?, _ password: String?) -> Bool {
        scenario != .wrongPassword && username == configuration.username && password == configuration.password
    }

    func codePage(_ request: Request, error: String? = nil) async -> Response {
        guard let session = await sessions.session(token(of: request)), session.stage == .passwordAccepted else {
            return redirect("/login")
        }
        return page(
            pages.code(
                csrf: session.csrf, length: configuration.codeLength, error: error,
                picture: scenario == .codeInPicture ? "/challenge.svg" : nil))
    }

    /// Answers with the picture that shows the code.
    func challenge(_ request: Request) async -> Response {
        guard scenario == .codeInPicture, let session = await sessions.session(token(of: request)),
            session.stage == .passwordAccepted
        else { return page(pages.notFound(), status: .notFound) }
        return Response(bytes: Array(pages.challenge(code: session.pictureCode).utf8), type: "image/svg+xml")
    }

    func methodPage(_ request: Request, error: String? = nil) async -> Response {
        guard scenario == .choiceOfMethods, let session = await sessions.session(token(of: request)),
            session.stage == .passwordAccepted
        else { return redirect("/login") }
        return page(pages.method(csrf: session.csrf, error: error))
    }

    func method(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let session = await sessions.session(token(of: request)), session.stage == .passwordAccepted,
            form["_csrf"] == session.csrf
        else { return redirect("/login") }
        guard form["method"] != nil else { return await methodPage(request, error: "Please choose one of the two.") }
        return redirect("/code")
    }

    func code(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted, form["_csrf"] == session.csrf
        else { return redirect("/login") }
        let isRight = scenario == .codeInPicture ? form["code"] == session.pictureCode : isRight(code: form["code"])
        guard isRight else {
            guard await sessions.countCodeTry(token) < 3 else {
                await sessions.end(token)
                return await loginPage(request, error: "Too many codes were not right. Please sign in again.")
            }
            let isLate = scenario == .codeTimeout
            return await codePage(
                request,
                error: isLate
                    ? "That code has run out. We have sent another one."
                    : "That code is not right. Please check your phone and try again.")
        }
        let response = await letIn(token, at: request)
        return scenario == .knownDevice ? await knowing(response) : response
    }

    func isRight(code: String?) -> Bool {
        guard scenario != .wrongCode, scenario != .codeTimeout, let code else { return false }
        return configuration.acceptsCode?(code) ?? (code == configuration.oneTimeCode)
    }

    private var isPush: Bool { scenario == .push || scenario == .pushUnanswered }

    /// Waits for the approval in the app, which arrives at the third request.
    func confirmation(_ request: Request) async -> Response {
        guard isPush, let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted
        else { return redirect("/login") }
        guard scenario == .push, await sessions.countVisit(token) > 2 else { return page(pages.confirmation()) }
        return await letIn(token, at: request)
    }

    /// The customer has shown who they are.
    func letIn(_ token: String, at request: Request) async -> Response {
        let fresh = await sessions.raise(token, to: hold == nil ? .signedIn : .heldBack)
        let host = request.head.authority ?? ""
        if scenario.signsInElsewhere, host.hasPrefix("127.0.0.1") {
            let ticket = await sessions.ticket(for: fresh)
            return handOver(ticket, to: "\(scheme)://localhost\(host.dropFirst("127.0.0.1".count))", at: request)
        }
        var response =
            switch scenario {
            case .foreignRedirect: redirect("https://welcome.meridian-partners.example/offers?from=online-banking")
            case .advertisement: redirect("/offer")
            default: redirect(hold?.path ?? "/accounts")
            }
        set(fresh, on: &response)
        return response
    }

    /// Continues a session from the sign-in page's host with a single-use ticket.
    func arrival(_ request: Request) async -> Response {
        guard let ticket = request.uri.queryParameters.get("ticket") else { return redirect("/login") }
        return await arrival(with: String(ticket))
    }

    func logout(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        if let token = token(of: request), let session = await sessions.session(token), form["_csrf"] == session.csrf {
            await sessions.end(token)
        }
        var response = page(pages.goodbye())
        let flags = "Path=/; HttpOnly; SameSite=Lax; Max-Age=0" + (configuration.usesTLS ? "; Secure" : "")
        response.headers[.setCookie] = "\(Self.cookie)=; \(flags)"
        return response
    }
}
