import Foundation
import Hummingbird
import JSON
import Secrets

/// Lets a request through that shows the token of its side. Tokens are compared in constant time.
struct Authorization<Context: RequestContext>: RouterMiddleware {
    let party: RateLimits.Party
    let token: Secret
    let limits: RateLimits

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let shown = Self.bearer(request), shown.isEqual(to: token) else { try await limits.refuseStranger() }
        try await limits.admit(party)
        return try await next(request, context)
    }

    /// RFC 6750, section 2.1; the scheme in any case.
    private static func bearer(_ request: Request) -> Secret? {
        guard let header = request.headers[.authorization] else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return Secret(parts[1].trimmingCharacters(in: .whitespaces))
    }
}

/// Gives every error, the framework's own among them, the specification's form; nothing of the inside leaks.
struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as APIError {
            return try error.response(from: request, context: context)
        } catch let error as HTTPError {
            let name =
                error.status == .notFound ? ("NOT_FOUND", "there is no such route") : ("BAD_REQUEST", "not understood")
            return try APIError(error.status, name.0, name.1).response(from: request, context: context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(Redactor.redact("\(error)"))"])
            return try APIError(
                .internalServerError, "INTERNAL_ERROR", "something went wrong here; see the broker’s log"
            )
            .response(from: request, context: context)
        }
    }
}
