import Hummingbird
import Synchronization

/// Makes every page fail or slow down, in the scenarios of a bank that is down, slow or unreliable.
final class Faults: RouterMiddleware {
    typealias Context = BasicRequestContext

    private let scenario: Scenario
    private let pages: BankPages
    /// The paths that have failed, in the scenario in which each path fails once.
    private let failed = Mutex<Set<String>>([])

    init(_ scenario: Scenario, pages: BankPages) {
        self.scenario = scenario
        self.pages = pages
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        switch scenario {
        case .maintenance:
            var response = Response(html: pages.maintenance(), status: .serviceUnavailable)
            response.headers[.retryAfter] = "7200"
            return response
        case .slowPages:
            try await Task.sleep(for: .milliseconds(500))
        case .serverErrorOnce where request.method == .get:
            guard failed.withLock({ $0.insert(request.uri.path).inserted }) else { break }
            return Response(html: pages.serverError(), status: .internalServerError)
        default: break
        }
        return try await next(request, context)
    }
}
