import Encodings
import HTTPTypes
import Hummingbird

/// Turns errors into an answer: words on a page, or JSON for the page's script.
struct PageErrors: RouterMiddleware {
    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let (status, message) = describe(error, context)
            if request.headers[.contentType]?.hasPrefix("application/json") == true {
                return .json(["error_message": .string(message)], status: status)
            }
            if case PageRefusal.signInFirst = error {
                return .redirect(to: PageReturn.signIn(from: request), type: .normal)
            }
            return PageViews.message(
                status, PageText.of(status == .notFound ? "error.not-found-title" : "error.title"), message,
                session: context.signedInAPI?.session)
        }
    }

    private func describe(_ error: any Error, _ context: PageContext) -> (HTTPResponse.Status, String) {
        switch error {
        case let error as APIRefusal: return (HTTPResponse.Status(code: error.status), error.words)
        case PageRefusal.signInFirst: return (.unauthorized, PageText.of("error.signed-out"))
        case PageRefusal.staleForm:
            return (.forbidden, PageText.of("error.stale"))
        case PageRefusal.badInput: return (.badRequest, PageText.of("error.input"))
        case PageRefusal.notFound: return (.notFound, PageText.of("error.not-found"))
        case let error as HTTPError where error.status == .notFound: return describe(PageRefusal.notFound, context)
        case let error as HTTPError:
            return (error.status, error.body.map { PageText.told($0, "error.refused") } ?? PageText.of("error.refused"))
        default:
            context.logger.error("a page failed", metadata: ["error": "\(error)"])
            return (.internalServerError, PageText.of("error.failed"))
        }
    }
}

/// The place to which a person returns after they have signed in.
struct PageReturn: Sendable {
    let path: String

    /// - Parameter text: from an address or a form; anything but one of the pages' places counts as the first one.
    init(_ text: String?) {
        let places = /\/|\/(connections|settings|data|confirmations|alerts)|\/(briefs|alerts)\/[A-Za-z0-9_-]{1,80}/
        path = text.flatMap { $0.wholeMatch(of: places) == nil ? nil : $0 } ?? "/"
    }

    /// Returns the address of the sign-in that leads back to where the browser was.
    static func signIn(from request: Request) -> String {
        let place = PageReturn(request.method == .get ? request.uri.path : nil)
        return place.path == "/" ? "/sign-in" : "/sign-in?back=\(place.path)"
    }
}
