import Clocks
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WebServing

/// The context of a page's request, with the session of the browser.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The session of a browser that has shown a code from the terminal.
    var session: PageSession?
    /// The address of the browser's machine. Behind a proxy it is the proxy's, until ``PageGuard`` has read what that says.
    var address: String

    init(source: Source) {
        coreContext = .init(source: source)
        address = source.channel.remoteAddress?.machine ?? "unknown"
    }
}

/// Refuses requests that did not come from one of this server's pages, and adds the security headers to every answer.
///
/// Checking the Host header stops DNS rebinding; checking Origin and Sec-Fetch-Site stops forged requests.
/// ``PageRequest`` checks the form token as well.
struct PageGuard: RouterMiddleware {
    let state: PageState
    let cookie: PageCookie
    /// True when a proxy on this machine passes the requests on.
    let isBehindProxy: Bool
    /// True when browsers may refuse every other certificate for a year. With an authority of the household's own they could
    /// then not reach `/trust`, when a device has to trust another one (RFC 6797, section 12.1).
    let isStrict: Bool

    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        var context = context
        if let refusal = await refusal(of: request, &context) {
            response = refusal
        } else {
            context.session = await session(of: request)
            response = try await next(request, context)
            if let session = context.session, Self.isPageBesidesPairing(request, response) {
                await state.leavePairing(forAnotherPage: session)
            }
        }
        // A connection's buffers keep what was posted, such as a passphrase, until it ends.
        if request.method == .post { response.headers[.connection] = "close" }
        response.protect(by: Self.contentSecurityPolicy, isStrict: isStrict)
        return response
    }

    /// The renewal of a page whose window is hidden, or that does not show the answer.
    static let hiddenRenewal = "hidden"

    /// True for a page that the browser loads, and that is not one of a pairing.
    private static func isPageBesidesPairing(_ request: Request, _ response: Response) -> Bool {
        guard request.method == .get, request.headers[.pageRenewal] == nil, response.status == .ok,
            let type = response.headers[.contentType], type.hasPrefix("text/html")
        else { return false }
        let place = request.uri.path.split(separator: "/").dropFirst(2).prefix(2).joined(separator: "/")
        return place != "devices/pair"
    }

    /// Returns the session that the cookie and the path name together.
    private func session(of request: Request) async -> PageSession? {
        let parts = request.uri.path.split(separator: "/")
        guard parts.count >= 2, parts[0] == "at", let site = try? await state.relyingParty() else { return nil }
        return await state.session(
            cookie: request.cookies[cookie.name(at: site)]?.value, at: String(parts[1]),
            isUse: request.headers[.pageRenewal] == nil)
    }

    private func refusal(of request: Request, _ context: inout PageContext) async -> Response? {
        guard let site = try? await state.relyingParty(),
            let authority = request.head.authority?.lowercased(), site.origin.hasSuffix("://\(authority)")
        else { return Response.sentence(.misdirectedRequest, "This page is not reached under that name.") }
        if isBehindProxy {
            do {
                context.address = try ForwardedRequest(request.headers, from: context.address).client
            } catch {
                return Response.sentence(.misdirectedRequest, error.description)
            }
        }
        return request.refusalUnless(from: site.origin)
    }
}

extension HTTPField.Name {
    /// Marks a request that the page's script makes by itself, to show changes: `1`, or ``PageGuard/hiddenRenewal``.
    static let pageRenewal = Self("X-Page-Renewal")!
    static let xAccelBuffering = Self("X-Accel-Buffering")!
}
