import Encodings
import Hummingbird
import WebServing

/// A request posted by one of this server's pages: read within limits, with its form token checked before anything else
/// sees it.
struct PageRequest {
    /// The most bytes of a posted body.
    static let largest = 64 << 10

    let session: PageSession

    /// Returns the session of a signed-in browser.
    static func session(_ context: PageContext) throws -> PageSession {
        guard let session = context.session, session.isSignedIn else { throw PageRefusal.signInFirst }
        return session
    }

    /// Returns the session of a browser that has shown a code from the terminal, signed in or not.
    static func admitted(_ context: PageContext) throws -> PageSession {
        guard let session = context.session else { throw PageRefusal.signInFirst }
        return session
    }

    /// Returns the form that a signed-in page posted.
    static func form(_ request: Request, _ context: PageContext) async throws -> (PageSession, PostedForm) {
        try await form(request, of: session(context))
    }

    /// Returns the form that a page of this session posted.
    ///
    /// - Parameter limit: the most bytes of the body.
    static func form(
        _ request: Request, of session: PageSession, upTo limit: Int = largest
    ) async throws -> (PageSession, PostedForm) {
        guard let form = try await PostedForm(request, upTo: limit) else { throw PageRefusal.badInput }
        guard FormToken.isRight(form["csrf"], session.csrfToken) else { throw PageRefusal.staleForm }
        return (session, form)
    }

    /// Returns the JSON that a signed-in page's script posted.
    ///
    /// - Parameter limit: the most bytes of the body.
    static func json(
        _ request: Request, _ context: PageContext, upTo limit: Int = largest
    ) async throws -> (PageSession, JSONValue) {
        try await json(request, of: session(context), upTo: limit)
    }

    /// Returns the JSON that a script of this session's page posted.
    static func json(
        _ request: Request, of session: PageSession, upTo limit: Int = largest
    ) async throws -> (PageSession, JSONValue) {
        guard request.hasFormToken(session.csrfToken) else { throw PageRefusal.staleForm }
        guard let json = try await request.postedJSON(upTo: limit) else { throw PageRefusal.badInput }
        return (session, json)
    }
}
