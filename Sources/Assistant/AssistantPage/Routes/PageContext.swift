import Assistant
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Secrets
import WebServing

/// The source of a page's context: the API for this browser.
struct PageSource: RequestContextSource {
    let api: LocalAPI
    let logger: Logger
}

/// The context of a page's request.
struct PageContext: RequestContext {
    typealias Source = PageSource

    var coreContext: CoreRequestContextStorage
    let local: LocalAPI
    /// The API with this browser's session; ``PageGuard`` sets it.
    var signedInAPI: PageAPI?
    /// The name of this browser as a device.
    var device = ""

    init(source: PageSource) {
        coreContext = .init(source: source)
        local = source.api
    }

    func api() throws -> PageAPI {
        guard let signedInAPI else { throw PageRefusal.signInFirst }
        return signedInAPI
    }

    /// Returns a variable of the path, without its percent encoding.
    func variable(_ name: String) -> String {
        parameters.get(name).flatMap { String($0).removingPercentEncoding } ?? ""
    }
}

/// Refuses requests that did not come from one of these pages, opens the session's cookie, and adds the security headers
/// to every answer.
///
/// Checking the Host header stops DNS rebinding; checking Origin and Sec-Fetch-Site stops forged requests.
/// ``PageRequest`` checks the form token as well.
struct PageGuard: RouterMiddleware {
    let settings: AssistantPageSettings
    let renewals: TokenRenewals
    let now: @Sendable () -> Date

    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        if let refusal = refusal(of: request) {
            response = refusal
        } else {
            response = try await answer(request, context, next)
        }
        response.protect(by: Self.contentSecurityPolicy, isStrict: settings.isTLS)
        return response
    }

    private func answer(
        _ request: Request, _ context: PageContext, _ next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        let cookies = PageCookies(settings: settings)
        let api = PageAPI(context.local, session: cookies.session(of: request), renewals: renewals, now: now)
        var context = context
        context.signedInAPI = api
        let known = cookies.device(of: request)
        context.device = known ?? "web-" + RandomText.make(bytes: 16)
        var response = try await next(request, context)
        if case .some(let session) = api.change {
            response.setCookie(cookies.make(session))
            if known == nil, session != nil { response.setCookie(cookies.make(device: context.device)) }
        }
        return response
    }

    private func refusal(of request: Request) -> Response? {
        let authority = request.head.authority?.lowercased() ?? ""
        guard settings.origin.hasSuffix("://\(authority)") else {
            if request.method == .get, request.uri.path == AssistantPageSettings.callback,
                settings.isOtherLoopbackName(authority)
            {
                // The browser's session is under the name that people open. The query counts for that session only.
                return .redirect(to: settings.origin + request.uri.string, type: .normal)
            }
            return Response.sentence(
                .misdirectedRequest,
                "This page is at \(settings.origin). A proxy before it has to pass on the Host header, and the assistant "
                    + "has to know the address that people open: ASSISTANT_PUBLIC_URL.")
        }
        return request.refusalUnless(from: settings.origin)
    }
}

extension HTTPField.Name {
    static let clearSiteData = Self("Clear-Site-Data")!
}
