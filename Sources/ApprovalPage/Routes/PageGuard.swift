import Clocks
import Foundation
import HTTPTypes
import Hummingbird

/// The context of a page's request, with the session of the browser.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var session: PageSession?

    init(source: Source) {
        coreContext = .init(source: source)
    }
}

/// Refuses requests that did not come from one of this server's pages, and adds the security headers to every answer.
///
/// Checking the Host header stops DNS rebinding; checking Origin and Sec-Fetch-Site stops forged requests.
/// ``PageRequest`` checks the form token as well.
struct PageGuard: RouterMiddleware {
    let state: PageState
    let isTLS: Bool

    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        if let refusal = await refusal(of: request) {
            response = refusal
        } else {
            var context = context
            context.session = await state.session(cookie: request.cookies[PageCookie.name(isTLS: isTLS)]?.value)
            response = try await next(request, context)
        }
        response.headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
        response.headers[.xContentTypeOptions] = "nosniff"
        // Not "no-referrer": with that, browsers send a form's Origin as "null".
        response.headers[.referrerPolicy] = "same-origin"
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        response.headers[.permissionsPolicy] = "publickey-credentials-get=(self), publickey-credentials-create=(self)"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if isTLS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private func refusal(of request: Request) async -> Response? {
        guard let site = try? await state.relyingParty(),
            let authority = request.head.authority?.lowercased(), site.origin.hasSuffix("://\(authority)")
        else { return Self.plain(.misdirectedRequest, "This page is not reached under that name.") }
        guard request.method != .get, request.method != .head else { return nil }
        guard request.headers[.origin] == site.origin else {
            return Self.plain(.forbidden, "The request does not come from this page.")
        }
        let fetchSite = request.headers[.secFetchSite]
        guard fetchSite == nil || fetchSite == "same-origin" else {
            return Self.plain(.forbidden, "The request does not come from this page.")
        }
        return nil
    }

    static func plain(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: .init(string: text + "\n")))
    }
}

/// The session's cookie: for this host and this site only, and not readable by scripts.
enum PageCookie {
    /// Returns the cookie's name. The prefix makes browsers refuse a cookie that another host or plain HTTP has set
    /// (RFC 6265bis, section 4.1.3).
    static func name(isTLS: Bool) -> String { isTLS ? "__Host-countersign" : "countersign" }

    static func make(_ value: String, lifetime: Duration, isTLS: Bool) -> Cookie {
        Cookie(
            name: name(isTLS: isTLS), value: value, maxAge: Int(lifetime.components.seconds), path: "/",
            secure: isTLS, httpOnly: true, sameSite: .strict)
    }

    static func expired(isTLS: Bool) -> Cookie { make("", lifetime: .zero, isTLS: isTLS) }
}

extension HTTPField.Name {
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let referrerPolicy = Self("Referrer-Policy")!
    static let secFetchSite = Self("Sec-Fetch-Site")!
    static let csrfToken = Self("X-CSRF-Token")!
}
