import Crypto
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import Secrets
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
        try check(form["csrf"], of: session)
        return (api, form)
    }

    /// Returns the JSON that a signed-in page's script posted.
    static func json(_ request: Request, _ context: PageContext) async throws -> (PageAPI, JSONValue) {
        let api = try context.api()
        try check(request.headers[.csrfToken], of: try api.signedIn())
        return (api, try await json(request))
    }

    /// Returns the JSON that the script of the sign-in page posted. The browser has no session yet, so the call's origin has
    /// to suffice.
    static func json(_ request: Request) async throws -> JSONValue {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else { throw PageRefusal.badInput }
        let buffer = try await request.body.collect(upTo: largest)
        guard let json = try? JSONReader.read(buffer.readableBytesView), json.objectValue != nil else {
            throw PageRefusal.badInput
        }
        return json
    }

    private static func check(_ token: String?, of session: BrowserSession) throws {
        guard ConstantTime.isEqual((token ?? "").utf8, session.formToken.utf8) else { throw PageRefusal.staleForm }
    }
}
