import CurlClient
import Foundation
import Secrets
import WebURL

/// One request of a navigation.
struct Hop: Sendable {
    struct Header: Sendable {
        var name: String
        var value: Input
    }

    var url: URLRecord
    var method = "GET"
    var body: [UInt8]?
    var contentType: String?
    /// The URL of the page that makes the request.
    var referrer: URLRecord?
    var referrerPolicy = ReferrerPolicy.strictOriginWhenCrossOrigin
    var headers: [Header] = []
    var accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    /// The secrets in the URL's query. A redirect that repeats one for another origin is refused.
    var secretQuery: [Secret] = []
    /// True for a body that the script's author wrote for one address: a redirect that repeats it for another origin is refused,
    /// because the owner has read that one origin.
    var bodyStays = false
    /// The place at whose origin a body had to stay, which a redirect has repeated for this one.
    private(set) var bodyLeft: URLRecord?
    /// True if a redirect has led from one foreign origin to another ("redirect-tainted", Fetch Standard, section
    /// 2.2.5).
    private var isTainted = false

    init(
        url: URLRecord, method: String = "GET", body: [UInt8]? = nil, contentType: String? = nil,
        referrer: URLRecord? = nil,
        headers: [Header] = []
    ) {
        self.url = url
        self.method = method
        self.body = body
        self.contentType = contentType
        self.referrer = referrer
        self.headers = headers
    }

    /// Returns the next hop if the answer is a redirect (Fetch Standard, section 4.4), else nil.
    ///
    /// A form is repeated for 307 and 308 as the standard says, even if it holds secrets and goes to another origin:
    /// the egress policy allows only the script's own origins, each of which the owner has read for forms. Headers that hold
    /// secrets, which forms do not have, are dropped when the origin changes.
    func redirected(by head: HTTPResponseHead) throws -> Hop? {
        guard [301, 302, 303, 307, 308].contains(head.status), let location = head.header("location") else {
            return nil
        }
        var next = self
        // Header text is Latin-1 or UTF-8; the parser percent-encodes anything outside ASCII either way.
        next.url = try URLRecord(parsing: location, base: url)
        if next.url.fragment == nil { next.url = next.url.replacing(fragment: url.fragment) }
        if let policy = ReferrerPolicy(list: head.header("referrer-policy")) { next.referrerPolicy = policy }
        let becomesGET =
            (head.status == 303 && method != "GET" && method != "HEAD")
            || ((head.status == 301 || head.status == 302) && method == "POST")
        if becomesGET {
            next.method = "GET"
            next.body = nil
            next.contentType = nil
        }
        let here = Origin(of: url)
        if Origin(of: next.url) != here {
            if !secretQuery.isEmpty, Redactor.redact(next.url.description) != next.url.description {
                throw NavigationError(
                    code: .secretInURL,
                    message:
                        "\(url.displayText) redirects to \(next.url.displayText) with a credential in the address; "
                        + "nothing was sent there")
            }
            if bodyStays, next.body != nil { next.bodyLeft = url }
            next.headers.removeAll { $0.value.isSecret || $0.name.lowercased() == "authorization" }
            if let referrer, Origin(of: referrer) != here { next.isTainted = true }
        }
        return next
    }

    var referrerValue: String? { referrer.flatMap { referrerPolicy.value(from: $0, to: url) } }

    /// The `Origin` header, for methods that may change something (Fetch Standard, section 3.2).
    var origin: String? {
        guard method != "GET", method != "HEAD" else { return nil }
        guard let from = Origin(of: referrer ?? url) else { return nil }
        let isDowngrade = from.scheme == "https" && url.scheme != "https"
        return isTainted || isDowngrade || referrerPolicy == .noReferrer ? "null" : from.description
    }
}

/// The hops of one navigation.
struct RedirectTrail {
    let limit: Int
    private var visited: [Step] = []

    private struct Step: Equatable {
        let method: String
        /// The URL without its fragment.
        let url: URLRecord
    }

    init(limit: Int) {
        self.limit = limit
    }

    /// Checks a hop before a byte of it leaves.
    ///
    /// - Throws: ``EgressError``, or ``NavigationError`` when there are too many hops.
    mutating func admit(_ hop: Hop, by policy: EgressPolicy) throws {
        try policy.check(hop.url)
        if let place = hop.bodyLeft {
            throw NavigationError(
                code: .bodyElsewhere,
                message:
                    "\(place.displayText) redirects what the request holds to \(hop.url.displayText), and nothing was sent there; "
                    + "if the interface moved, change its address in the script")
        }
        let step = Step(method: hop.method, url: hop.url.withoutFragment)
        // A body is never sent twice to the same place: it may be a sign-in, and a bank counts those.
        if hop.body != nil, visited.contains(step) {
            throw NavigationError(
                code: .notRepeatable,
                message:
                    "\(hop.url.displayText) redirects to a place where the same form was sent already; it is not sent twice"
            )
        }
        // A page may redirect to itself once it has set a cookie, so only too many hops count as a loop.
        guard visited.count <= limit else {
            guard let last = visited.last, let start = visited.dropLast().lastIndex(of: last) else {
                throw NavigationError(
                    code: .tooManyRedirects,
                    message: "more than \(limit) redirects in a row, the last one to \(hop.url.displayText)")
            }
            let circle = visited[start...].map(\.url.displayText)
            throw NavigationError(
                code: .redirectLoop,
                message: "more than \(limit) redirects in a row, going in a circle: \(circle.joined(separator: " → "))")
        }
        visited.append(step)
    }
}
