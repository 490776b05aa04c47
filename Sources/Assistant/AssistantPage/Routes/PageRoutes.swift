import Assistant
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Languages
import WebServing

/// The pages' routes. This file has the frame and the sign-in; the extensions have the places.
struct PageRoutes: Sendable {
    let settings: AssistantPageSettings
    let renewals: TokenRenewals
    let now: @Sendable () -> Date

    func router() -> Router<PageContext> {
        let router = Router(context: PageContext.self)
        router.add(middleware: PageGuard(settings: settings, renewals: renewals, now: now))
        router.add(
            middleware: PageLanguage(PageText.$sentences, of: PageResources.sentences) { [settings] request in
                PageCookies(settings: settings).language(of: request)
            })
        router.add(middleware: PageErrors())
        for (name, (type, bytes)) in PageResources.files {
            router.get("/\(name)") { _, _ in Response.file(bytes, type) }
        }
        for (name, type) in PageResources.spokenTypes {
            router.get("/\(name)") { request, _ in
                Response.file(Array((request.spoken(PageResources.spokenFiles)?[name] ?? "").utf8), type)
            }
        }
        router.get("/sign-in") { request, context in try signIn(request, context) }
        router.post("/sign-in/:ceremony/start") { request, context in try await start(request, context) }
        router.post("/sign-in/:ceremony/finish") { request, context in try await finish(request, context) }
        router.post("/sign-out") { request, context in try await signOut(request, context) }
        addToday(to: router)
        addConnections(to: router)
        addSettings(to: router)
        addNotices(to: router)
        addData(to: router)
        return router
    }

    // MARK: Signing in

    private func signIn(_ request: Request, _ context: PageContext) throws -> Response {
        let back = PageReturn(request.uri.queryParameters["back"].map { String($0) })
        if try context.api().session != nil { return .redirect(to: back.path, type: .normal) }
        return PageViews.page(
            "signIn", title: PageText.of("sign-in.title"), session: nil,
            [
                "back": back.path, "takesNewUsers": settings.signup != .closed,
                "needsInvitation": settings.signup == .invite,
            ])
    }

    private static func ceremony(_ context: PageContext) throws -> String {
        let ceremony = context.variable("ceremony")
        guard ["register", "login"].contains(ceremony) else { throw PageRefusal.notFound }
        return ceremony
    }

    private func start(_ request: Request, _ context: PageContext) async throws -> Response {
        let posted = try await PageRequest.json(request)
        var body: [String: JSONValue] = ["device_id": .string(context.device)]
        for name in ["time_zone", "invite_code"] { body[name] = posted[name] }
        let answer = try await context.api().sendAsStranger(
            "/v1/auth/passkey/\(try Self.ceremony(context))/start", .object(body))
        var response = Response.json(answer)
        // The challenge belongs to this device, so its name has to stay until the answer.
        response.setCookie(PageCookies(settings: settings).make(device: context.device))
        return response
    }

    private func finish(_ request: Request, _ context: PageContext) async throws -> Response {
        let posted = try await PageRequest.json(request)
        let api = try context.api()
        var body: [String: JSONValue] = ["device_id": .string(context.device)]
        for name in ["challenge_id", "credential", "invite_code"] { body[name] = posted[name] }
        let tokens = try await api.tokens(
            from: "/v1/auth/passkey/\(try Self.ceremony(context))/finish", .object(body))
        api.set(BrowserSession(tokens))
        return .json(["next": .string(PageReturn(posted["back"]?.stringValue).path)])
    }

    /// Ends the session, and with it the notices to this browser. A session that is over already is forgotten all the same.
    private func signOut(_ request: Request, _ context: PageContext) async throws -> Response {
        let (api, _) = try await PageRequest.form(request, context)
        do {
            try await removeDevice(context.device, api)
            try await api.send(.post, "/v1/auth/logout")
        } catch PageRefusal.signInFirst {
        }
        api.set(nil)
        return .redirect(to: "/sign-in", type: .normal)
    }

    /// Removes a device; one that is not there counts as removed.
    func removeDevice(_ id: String, _ api: PageAPI) async throws {
        let name = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        do {
            try await api.send(.delete, "/v1/devices/\(name)")
        } catch let refusal as APIRefusal where refusal.status == 404 {
        }
    }
}
