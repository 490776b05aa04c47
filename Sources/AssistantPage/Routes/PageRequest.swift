import Crypto
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Secrets

/// A request posted by one of the pages: read within limits, with its form token checked before anything else sees it.
enum PageRequest {
    /// The most bytes of a posted body.
    static let largest = 64 << 10

    /// Returns the form that a signed-in page posted.
    static func form(_ request: Request, _ context: PageContext) async throws -> (PageAPI, PostedForm) {
        let api = try context.api()
        let session = try api.signedIn()
        let form = try await PostedForm(request)
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

/// A body of `application/x-www-form-urlencoded`; the first of several fields with one name counts.
struct PostedForm {
    private let fields: [String: String]

    init(_ request: Request) async throws {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw PageRefusal.badInput
        }
        self.init(String(buffer: try await request.body.collect(upTo: PageRequest.largest)))
    }

    init(_ text: String) {
        let pairs = text.split(separator: "&").map { pair -> (String, String) in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            return (decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
        fields = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { fields[name] }

    /// Returns whether a checkbox was ticked.
    func isOn(_ name: String) -> Bool { fields[name] == "on" }
}

/// The reason why a page's request is refused.
enum PageRefusal: Error {
    case signInFirst
    case staleForm
    case badInput
    case notFound
}
