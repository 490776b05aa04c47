import AssistantStore
import Clocks
import Foundation
import Hummingbird

/// Admits requests with a valid access token, and notes the session in the context. A token counts only while its
/// session is open, so logout and the reuse of a refresh token end it at once.
struct AssistantAuthorization: RouterMiddleware {
    let tokens: AccessTokens
    let sessions: SessionStore
    let limits: AssistantLimits
    let clock: BrokerClock

    func handle(
        _ request: Request, context: AssistantContext, next: (Request, AssistantContext) async throws -> Response
    ) async throws -> Response {
        let now = clock.now
        guard let session = tokens.session(of: Self.token(of: request), at: now) else {
            throw limits.count(.unauthorized, from: context.origin)
        }
        // The token's signature is right, so the user's own limit counts from here.
        try limits.admit(session.userID)
        guard try await sessions.isOpen(session.id, of: session.userID, at: now) else {
            throw AssistantError.unauthorized
        }
        var context = context
        context.session = session
        return try await next(request, context)
    }

    /// Returns the token of a request (RFC 6750, section 2.1). The scheme may be in any case.
    static func token(of request: Request) -> String {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1].drop { $0 == " " })
    }
}

/// Admits requests without a token while their address has not been refused too often, and counts refusals.
struct StrangerLimit: RouterMiddleware {
    let limits: AssistantLimits

    func handle(
        _ request: Request, context: AssistantContext, next: (Request, AssistantContext) async throws -> Response
    ) async throws -> Response {
        try limits.admitStranger(context.origin)
        return try await RefusalCount(limits: limits).handle(request, context: context, next: next)
    }
}

/// Counts refusals for their address. The route itself decides what a refused address may still do.
struct RefusalCount: RouterMiddleware {
    let limits: AssistantLimits

    func handle(
        _ request: Request, context: AssistantContext, next: (Request, AssistantContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as AssistantError where error.status.kind == .clientError {
            throw limits.count(error, from: context.origin)
        }
    }
}

/// Gives every error the form of the API, the framework's own errors included, so that no internals leak.
struct AssistantErrorAnswers: RouterMiddleware {
    let routes: [(method: String, path: [String])]

    func handle(
        _ request: Request, context: AssistantContext, next: (Request, AssistantContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as AssistantError {
            return answer(error, request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return answer(refusal(of: request), request, context)
        } catch let error as HTTPError {
            return AssistantError(error.status, .badRequest, "the request was not understood").response
        } catch let error as AssistantStoreError where [.unavailable, .tooSlow, .full, .readOnly].contains(error.code) {
            context.logger.error("the database failed", metadata: ["error": "\(error)"])
            var refusal = AssistantError(
                .serviceUnavailable, .unavailable, "the assistant's database does not answer; try again later")
            refusal.headers[.retryAfter] = "5"
            return refusal.response
        } catch let error as AssistantStoreError where error.code == .unstorable {
            return answer(AssistantError(.badRequest, .invalidField, error.message), request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return AssistantError(.internalServerError, .internalError, "the assistant failed; see its log").response
        }
    }

    /// Logs a refusal, without the body and the query. Rate limits come in floods and are not logged.
    private func answer(_ error: AssistantError, _ request: Request, _ context: AssistantContext) -> Response {
        if error.status != .tooManyRequests {
            context.logger.notice(
                "request refused",
                metadata: [
                    "method": "\(request.method.rawValue)", "path": "\(context.endpointPath ?? "unknown")",
                    "status": "\(error.status.code)", "error_code": "\(error.code.rawValue)",
                ])
        }
        return error.response
    }

    /// Tells a wrong path from a wrong method. RFC 9110, section 15.5.6, wants the methods that the path allows.
    private func refusal(of request: Request) -> AssistantError {
        let parts = request.uri.path.split(separator: "/")
        let found = routes.filter { route in
            route.path.count == parts.count && zip(route.path, parts).allSatisfy { Self.isVariable($0) || $0 == $1 }
        }
        // A route of this very path hides those whose variable could stand for it.
        let exact = found.filter { !$0.path.contains(where: Self.isVariable) }
        let methods = Set((exact.isEmpty ? found : exact).map(\.method)).sorted()
        guard !methods.isEmpty else { return AssistantError(.notFound, .notFound, "there is no such route") }
        var error = AssistantError(
            .methodNotAllowed, .methodNotAllowed, "this route takes \(methods.joined(separator: ", "))")
        error.headers[.allow] = methods.joined(separator: ", ")
        return error
    }

    private static func isVariable(_ part: String) -> Bool { part.hasPrefix(":") || part.hasPrefix("{") }
}
