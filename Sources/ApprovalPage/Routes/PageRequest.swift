import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Secrets

/// What a page of ours has posted: read within limits, and its token checked, before anything else sees it.
struct PageRequest {
    /// Bytes of a posted body.
    static let largest = 64 << 10

    let session: PageSession

    /// The session of a GET.
    static func session(_ context: PageContext) throws -> PageSession {
        guard let session = context.session else { throw PageRefusal.signInFirst }
        return session
    }

    /// A form of a signed-in page.
    static func form(_ request: Request, _ context: PageContext) async throws -> (PageSession, PostedForm) {
        let session = try session(context)
        let form = try await PostedForm(request)
        try check(form["csrf"], of: session)
        return (session, form)
    }

    /// JSON that a script of a signed-in page has posted.
    static func json(_ request: Request, _ context: PageContext) async throws -> (PageSession, JSONValue) {
        let session = try session(context)
        try check(request.headers[.csrfToken], of: session)
        return (session, try await json(request))
    }

    /// JSON of a page that has not signed in.
    static func json(_ request: Request) async throws -> JSONValue {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else { throw PageRefusal.badInput }
        let buffer = try await request.body.collect(upTo: largest)
        guard let json = try? JSONReader.read(Data(buffer.readableBytesView)) else { throw PageRefusal.badInput }
        return json
    }

    private static func check(_ token: String?, of session: PageSession) throws {
        guard ConstantTime.isEqual((token ?? "").utf8, session.csrfToken.utf8) else { throw PageRefusal.staleForm }
    }
}

/// `application/x-www-form-urlencoded`, each name once.
struct PostedForm {
    private let fields: [String: String]

    init(_ request: Request) async throws {
        guard request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw PageRefusal.badInput
        }
        let buffer = try await request.body.collect(upTo: PageRequest.largest)
        self.init(String(buffer: buffer))
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

    /// A field that becomes a secret at once.
    func secret(_ name: String) -> Secret { Secret(fields[name] ?? "") }
}

/// Why a page's request is not taken.
enum PageRefusal: Error {
    case signInFirst
    case staleForm
    case badInput
    case notFound
}
