import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import Secrets
import WebServing

/// Turns errors into an answer: words on a page, or JSON for the page's script.
struct PageErrors: RouterMiddleware {
    func handle(
        _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let (status, message) = Self.describe(error)
            let isScript = request.headers[.contentType]?.hasPrefix("application/json") == true
            if isScript {
                return PageRoutes.json(
                    ["error_code": .string(code(error)), "error_message": .string(message)], status: status)
            }
            if status == .unauthorized, request.method == .get {
                return .redirect(to: Self.unlocking(request, context.session), type: .normal)
            }
            let title = status == .notFound ? "Not found" : "That did not work"
            return PageViews.message(status, title, message, session: context.session)
        }
    }

    /// Returns the address at which a browser unlocks the page and then returns to where it was.
    private static func unlocking(_ request: Request, _ session: PageSession?) -> String {
        guard let session else { return "/" }
        let place = PageReturn(String(request.uri.path.dropFirst(session.base.count)))
        return session.base + (place.path == "/" ? "/" : "/?back=\(place.path)")
    }

    private func code(_ error: any Error) -> String {
        (error as? WebAuthnError)?.code.rawValue ?? (error is VaultError ? "vault" : "refused")
    }

    static func describe(_ error: any Error) -> (HTTPResponse.Status, String) {
        switch error {
        case let error as WebAuthnError: (.forbidden, error.message)
        case let error as VaultError: (.forbidden, ReportText.cleaned(error.message))
        case let error as PhoneError: (.conflict, error.message)
        case PageRefusal.signInFirst: (.unauthorized, "Sign in first.")
        case PageRefusal.staleForm: (.forbidden, "The page was out of date; go back, reload it and try again.")
        case PageRefusal.badInput: (.badRequest, "The page sent an invalid request; reload it and try again.")
        case PageRefusal.locked:
            (.conflict, "The copies open after you unlock this page once more: sign out, and unlock it.")
        case PageRefusal.notFound: (.notFound, "This page does not exist, or not any more.")
        case let error as HTTPError where error.status == .notFound: describe(PageRefusal.notFound)
        case let error as HTTPError: (error.status, error.body ?? "The request cannot be taken.")
        default: (.internalServerError, ReportText.cleaned("\(error)"))
        }
    }
}
