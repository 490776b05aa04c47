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
                return .json(
                    ["error_code": .string(code(error)), "error_message": .string(message)], status: status)
            }
            if status == .unauthorized, request.method == .get {
                return .redirect(to: Self.unlocking(request, context.session), type: .normal)
            }
            let title = PageText.of(status == .notFound ? "refusal.not-found-title" : "refusal.title")
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
        case let error as WebAuthnError: (.forbidden, RefusalWords.of(error))
        case let error as VaultError: (.forbidden, RefusalWords.of(error))
        case let error as PhoneError: (.conflict, RefusalWords.of(error))
        case let error as NoToken: (.conflict, TokenWords.of(error.cause))
        case PageRefusal.signInFirst: (.unauthorized, PageText.of("refusal.sign-in-first"))
        case PageRefusal.staleForm: (.forbidden, PageText.of("refusal.stale"))
        case PageRefusal.badInput: (.badRequest, PageText.of("refusal.bad-input"))
        case PageRefusal.locked:
            (.conflict, PageText.of("documents.locked"))
        case PageRefusal.notFound: (.notFound, PageText.of("refusal.not-found"))
        case let error as HTTPError where error.status == .notFound: describe(PageRefusal.notFound)
        case let error as HTTPError: (error.status, error.body ?? PageText.of("refusal.not-taken"))
        default: (.internalServerError, ReportText.cleaned("\(error)"))
        }
    }
}

extension PageErrors {
    /// Does what a form asks for. What the vault, the phone or a check of the form refuses is told above the form.
    ///
    /// - Parameter page: shows the form again, with a notice.
    static func telling(
        on page: (_ notice: String?, _ status: HTTPResponse.Status) async throws -> Response,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let error as VaultError {
            return try await page(RefusalWords.again(error), .forbidden)
        } catch let error as PhoneError {
            return try await page(RefusalWords.of(error), .conflict)
        } catch let error as HTTPError {
            return try await page(error.body, error.status)
        }
    }

    /// Refuses a form by which the passphrase alone would do what a passkey has to confirm as well.
    static func checkPasskeyIsNotNeeded(_ hasPasskeys: Bool) throws {
        guard !hasPasskeys else { throw HTTPError(.conflict, message: PageText.of("passphrase.wants-passkey")) }
    }
}
