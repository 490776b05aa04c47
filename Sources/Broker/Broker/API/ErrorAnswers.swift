import BrokerStore
import Encodings
import Foundation
import Hummingbird
import Secrets

/// Gives every error the specification's form, the framework's own errors included, so that no internals leak. It logs
/// each refused or failed request once.
struct ErrorAnswers: RouterMiddleware {
    let routes: KnownRoutes
    let metrics: BrokerMetrics
    let refused: RefusedTokens

    func handle(
        _ request: Request, context: BrokerContext, next: (Request, BrokerContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as APIError {
            log(error, request, context)
            if error.isForStranger || error.status == .unauthorized {
                await refused.note(
                    from: context.origin, at: context.endpointPath ?? "unknown",
                    isLimited: error.status == .tooManyRequests)
            }
            response = error.response
        } catch let error as HTTPError where error.status == .notFound {
            let error = routes.refusal(of: request)
            log(error, request, context)
            response = error.response
        } catch let error as HTTPError {
            response = APIError(error.status, .badRequest, "not understood").response
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            let words =
                BrokerDatabase.isFullDisk(error)
                ? "the disk of the broker's machine is full, so this could not be finished; free some space there, and try "
                    + "again"
                : "the broker failed; see its log"
            response = APIError(.internalServerError, .internalError, words).response
        }
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "unknown"
        metrics.answered(route, request.method.rawValue, response.status.code)
        return response
    }

    /// Skips rate limits, which come in floods and are counted by metrics, and what every run brings.
    private func log(_ error: APIError, _ request: Request, _ context: BrokerContext) {
        guard error.status != .tooManyRequests, !error.isRoutine else { return }
        context.logger.notice(
            "request refused",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(request.uri.path.prefix(200))",
                "status": "\(error.status.code)", "error_code": "\(error.code.rawValue)", "reason": "\(error.message)",
            ])
    }
}

/// The known routes, to tell a wrong path from a wrong method.
struct KnownRoutes: Sendable {
    struct Route: Sendable, Hashable {
        let method: String
        /// `:name` stands for a value.
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

    /// Returns the refusal of an unknown route. RFC 9110, section 15.5.6, wants the methods that the path allows.
    func refusal(of request: Request) -> APIError {
        let parts = request.uri.path.split(separator: "/")
        let methods = Set(routes.filter { $0.hasPath(parts) }.map(\.method)).sorted()
        guard !methods.isEmpty else { return APIError(.notFound, .notFound, "there is no such route") }
        var error = APIError(
            .methodNotAllowed, .methodNotAllowed, "this route takes \(methods.joined(separator: ", "))")
        error.headers[.allow] = methods.joined(separator: ", ")
        return error
    }
}
