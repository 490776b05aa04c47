import CurlClient
import Foundation

/// One request on the way to a page.
struct Hop {
    var url: WebURL
    var method = "GET"
    var body: [UInt8]?
    var contentType: String?
    var referrer: WebURL?
    var headers: [HTTPHeader] = []
    var accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    var isReload = false

    /// Where the answer sends us (Fetch standard, section 4.4); nil when it is the answer.
    func redirected(by head: HTTPResponseHead) throws -> Hop? {
        guard [301, 302, 303, 307, 308].contains(head.status), let location = head.header("location") else {
            return nil
        }
        var next = self
        next.url = try WebURL(parsing: location, base: url)
        if next.url.fragment == nil { next.url = next.url.replacing(fragment: url.fragment) }
        let becomesGET =
            head.status == 303 && method != "HEAD" || [301, 302].contains(head.status) && method == "POST"
        if becomesGET {
            next.method = "GET"
            next.body = nil
            next.contentType = nil
        }
        return next
    }

    /// Referrer policy strict-origin-when-cross-origin (Referrer Policy, section 3.8).
    var referrerValue: String? {
        guard let referrer, let from = Origin(of: referrer), let to = Origin(of: url) else { return nil }
        if from == to { return referrer.withoutFragment.description }
        if referrer.scheme == "https", url.scheme != "https" { return nil }
        return from.description + "/"
    }
}

extension WebURL {
    var originText: String? { Origin(of: self)?.description }
}

/// A `data:` URL's content (RFC 2397).
struct DataURL {
    let bytes: [UInt8]
    let mediaType: String

    init?(_ text: String) {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[text.index(text.startIndex, offsetBy: 5)..<comma]
        let content = String(text[text.index(after: comma)...]).removingPercentEncoding ?? ""
        if head.lowercased().hasSuffix(";base64") {
            guard let data = Data(base64Encoded: content, options: .ignoreUnknownCharacters) else { return nil }
            bytes = Array(data)
        } else {
            bytes = Array(content.utf8)
        }
        mediaType = head.split(separator: ";").first.map(String.init) ?? "text/plain"
    }
}
