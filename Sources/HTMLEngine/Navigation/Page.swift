import CurlClient
import Foundation
import JSON
import Selectors

/// A page as it came; what was filled in since is the session's.
public struct Page: Sendable {
    public let document: Document
    /// After redirects, without the fragment.
    public let url: String
    public let status: Int
    public let headers: [HTTPHeader]
    /// The page's JSON where its type says that it is JSON.
    public let json: JSONValue?

    init(_ response: HTTPResponse, url: WebURL) throws(DocumentError) {
        self.url = url.withoutFragment.description
        status = response.status
        headers = response.headers
        let type = response.header("content-type")
        let isJSON = type?.lowercased().contains("json") ?? false
        json = isJSON ? try? JSONReader.read(response.body, limits: JSONLimits(size: response.body.count)) : nil
        document = try Document.parse(isJSON ? [] : response.body, contentType: type, url: self.url)
    }

    public var title: String { document.title }
    public var text: String { document.root?.text ?? "" }

    public func elements(_ locator: Locator) throws(LocatorError) -> [Element] { try document.elements(locator) }
    public func element(_ locator: Locator) throws(LocatorError) -> Element { try document.element(locator) }

    /// What the page says first about itself: a notice or an error, else its first heading.
    public var headline: String? {
        let alerts = document.root?.descendants.filter { element in
            let role = element[attribute: "role"]?.lowercased()
            if role == "alert" || role == "status" { return !element.isHidden }
            return element[attribute: "class"]?.lowercased().words.contains {
                $0.contains("error") || $0.contains("alert") || $0.contains("notice") || $0.contains("warning")
            } ?? false && !element.isHidden
        }
        let words = (alerts ?? []).map(\.text) + document.all(.heading, in: nil).map(\.text)
        return words.first { !$0.isEmpty }
    }

    /// The page is a shell that only JavaScript would fill: scripts, and nothing to read or to use.
    public var needsJavaScript: Bool {
        guard let root = document.root, json == nil else { return false }
        let hasScripts = root.descendants.contains { $0.name == "script" }
        let isUsable = root.descendants.contains { $0.isA(.field) || $0.isA(.link) || $0.isA(.button) }
        guard hasScripts, !isUsable else { return false }
        return text.count < 200 || root.descendants.contains { $0.name == "noscript" }
    }

    /// What references are resolved against: the first `base` with an `href`, else the page's own URL.
    var base: WebURL {
        get throws {
            let own = try WebURL(parsing: url)
            let reference = document.root?.descendants.first { $0.name == "base" && $0.has("href") }?[attribute: "href"]
            return try reference.map { try WebURL(parsing: $0, base: own) } ?? own
        }
    }

    /// Where a `Refresh` header or `meta` leads, and after how long (HTML standard, section 4.2.5.3).
    var refresh: (delay: Duration, reference: String)? {
        let header = headers.last { $0.name.lowercased() == "refresh" }?.value
        let meta = document.root?.descendants.first {
            $0.name == "meta" && $0[attribute: "http-equiv"]?.lowercased() == "refresh"
                && !$0.ancestors.contains { $0.name == "noscript" }
        }?[attribute: "content"]
        guard let text = header ?? meta,
            let match = text.wholeMatch(of: /\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:(?i)url\s*=\s*)?["']?([^"']+?)["']?\s*/),
            let seconds = Int(match.1)
        else { return nil }
        return (.seconds(seconds), String(match.2))
    }
}
