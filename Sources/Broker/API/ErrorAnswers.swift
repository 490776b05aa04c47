import Foundation
import Hummingbird
import JSON
import Secrets

/// Gives every error, the framework's own among them, the specification's form; nothing of the inside leaks. What a
/// caller did wrong is logged once; what goes wrong here too.
struct ErrorAnswers: RouterMiddleware {
    let routes: KnownRoutes
    let metrics: BrokerMetrics

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as APIError {
            log(error, request, context)
            response = error.response
        } catch let error as HTTPError where error.status == .notFound {
            let error = routes.refusal(of: request)
            log(error, request, context)
            response = error.response
        } catch let error as HTTPError {
            response = APIError(error.status, "BAD_REQUEST", "not understood").response
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            response =
                APIError(.internalServerError, "INTERNAL_ERROR", "something went wrong here; see the broker’s log")
                .response
        }
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "unknown"
        metrics.answered(route, request.method.rawValue, response.status.code)
        return response
    }

    /// A rate limit is met in floods, which are counted and not written down one by one.
    private func log(_ error: APIError, _ request: Request, _ context: BrokerContext) {
        guard error.status != .tooManyRequests else { return }
        context.logger.notice(
            "request refused",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(request.uri.path.prefix(200))",
                "status": "\(error.status.code)", "error_code": "\(error.code)", "reason": "\(error.message)",
            ])
    }
}

/// The routes that there are, to tell a wrong path from a wrong method.
struct KnownRoutes: Sendable {
    struct Route: Sendable, Hashable {
        let method: String
        /// With `:name` where a value stands.
        let path: [String]

        func hasPath(_ parts: [Substring]) -> Bool {
            parts.count == path.count
                && zip(path, parts).allSatisfy { $0.hasPrefix(":") || $0.hasPrefix("{") || $0 == $1 }
        }
    }

    private let routes: [Route]

    init(_ routes: [Route]) {
        self.routes = routes
    }

    /// Why nothing answers here: RFC 9110, section 15.5.6, wants the methods that would.
    func refusal(of request: Request) -> APIError {
        let parts = request.uri.path.split(separator: "/")
        let methods = Set(routes.filter { $0.hasPath(parts) }.map(\.method)).sorted()
        guard !methods.isEmpty else { return APIError(.notFound, "NOT_FOUND", "there is no such route") }
        var error = APIError(
            .methodNotAllowed, "METHOD_NOT_ALLOWED", "this route takes \(methods.joined(separator: ", "))")
        error.headers[.allow] = methods.joined(separator: ", ")
        return error
    }
}
