import Encodings
import Hummingbird
import WebServing

/// A request posted by one of the pages: read within limits, with its form token checked before anything else sees it.
enum PageRequest {
    /// The most bytes of a posted body.
    static let largest = 64 << 10

    /// Returns the form that a signed-in page posted.
    static func form(_ request: Request, _ context: PageContext) async throws -> (PageAPI, PostedForm) {
        let api = try context.api()
        let session = try api.signedIn()
        guard let form = try await PostedForm(request, upTo: largest) else { throw PageRefusal.badInput }
        guard FormToken.isRight(form["csrf"], session.formToken) else { throw PageRefusal.staleForm }
        return (api, form)
    }

    /// Returns the JSON that a signed-in page's script posted.
    static func json(_ request: Request, _ context: PageContext) async throws -> (PageAPI, JSONValue) {
        let api = try context.api()
        guard request.hasFormToken(try api.signedIn().formToken) else { throw PageRefusal.staleForm }
        return (api, try await json(request))
    }

    /// Returns the JSON that the script of the sign-in page posted. The browser has no session yet, so the call's origin has
    /// to suffice.
    static func json(_ request: Request) async throws -> JSONValue {
        guard let json = try await request.postedJSON(upTo: largest), json.objectValue != nil else {
            throw PageRefusal.badInput
        }
        return json
    }
}
