import Foundation
import Hummingbird
import JSON
import Secrets

/// Lets a request through that shows the token of its side. Tokens are compared in constant time.
struct Authorization: RouterMiddleware {
    let party: RateLimits.Party
    let token: Secret
    let limits: RateLimits

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        guard let shown = Self.bearer(request), token.isEqual(toBytes: shown.utf8) else {
            try await limits.refuseStranger()
        }
        try await limits.admit(party)
        return try await next(request, context)
    }

    /// RFC 6750, section 2.1; the scheme in any case.
    private static func bearer(_ request: Request) -> Substring? {
        guard let header = request.headers[.authorization], let space = header.firstIndex(of: " "),
            header[..<space].lowercased() == "bearer"
        else { return nil }
        return header[space...].drop { $0 == " " }
    }
}
