import Hummingbird

/// Tells the program that runs the bank of each request.
struct RequestReport<Context: RequestContext>: RouterMiddleware {
    let report: @Sendable (String, String) -> Void

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        report(request.method.rawValue, request.uri.description)
        return try await next(request, context)
    }
}
