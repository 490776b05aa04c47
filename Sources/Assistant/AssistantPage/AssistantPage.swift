import Assistant
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The assistant's pages for browsers: sign-in, connections, settings, and what a notice leads to.
///
/// The pages know the API only. They call it as an app does, with the tokens of the browser's own session, so they can do
/// nothing that an app cannot.
package struct AssistantPage: BrowserPages {
    private let responder: RouterResponder<PageContext>
    private let first: Set<Substring>

    /// - Parameter now: reads the time; tests set it.
    package init(_ settings: AssistantPageSettings, now: @escaping @Sendable () -> Date = { Date() }) {
        let router = PageRoutes(settings: settings, renewals: TokenRenewals(), now: now).router()
        first = Set(
            router.routes.map { $0.path.description.split(separator: "/").first ?? "" })
        responder = router.buildResponder()
    }

    package func serves(_ path: String) -> Bool { first.contains(path.split(separator: "/").first ?? "") }

    package func respond(to request: Request, logger: Logger, calling api: LocalAPI) async throws -> Response {
        try await responder.respond(to: request, context: PageContext(source: PageSource(api: api, logger: logger)))
    }
}

/// The settings of the pages.
package struct AssistantPageSettings: Sendable {
    /// The path to which a consent at Google leads back.
    package static let callback = "/connections/google/callback"

    /// The scheme, the host and the port that people open.
    let origin: String
    /// The rule by which strangers become users.
    let signup: SignupRule
    /// The address to which Google leads back, if one of the allowed ones leads to the pages.
    let redirectURI: String?

    package init(_ configuration: AssistantConfiguration) {
        let origin = configuration.site.origin
        self.origin = origin
        signup = configuration.signup
        let allowed = configuration.google?.redirectURIs ?? []
        redirectURI =
            allowed.first { $0 == origin + Self.callback }
            ?? allowed.first { Self.isLoopback($0, beside: origin) }
    }

    var isTLS: Bool { origin.hasPrefix("https://") }

    /// Returns whether an address is the callback under another name of this machine, as Google's clients of the kind
    /// *Desktop app* want it (RFC 8252, section 7.3).
    private static func isLoopback(_ address: String, beside origin: String) -> Bool {
        guard let url = URL(string: address), let own = URL(string: origin), url.path == callback else { return false }
        let names: Set = ["localhost", "127.0.0.1", "[::1]", "::1"]
        return url.scheme == "http" && own.scheme == "http" && url.port == own.port
            && names.contains(url.host() ?? "") && names.contains(own.host() ?? "")
    }

    /// Returns whether a request's authority is another name of this machine for the same port.
    func isOtherLoopbackName(_ authority: String) -> Bool {
        Self.isLoopback("http://\(authority)\(Self.callback)", beside: origin)
    }
}
