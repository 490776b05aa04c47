import CurlClient
import Encodings
import Foundation
import Markup
import Selectors
import WebURL

/// A page as it arrived. The session keeps the changes to its forms.
public final class Page: Sendable {
    public let document: Document
    public let status: Int
    public let headers: [HTTPHeader]
    /// The `Content-Type` in lower case, without parameters; nil when the answer has none.
    public let contentType: String?
    /// The page's JSON, if its type is a JSON type.
    public let json: JSONValue?
    /// Why a page of a JSON type was not read; nil for any other page.
    package let unreadableJSON: String?
    /// The URL after redirects, with its fragment.
    package let location: URLRecord
    /// The base URL: the first `base` with an `href`, else the page's own URL.
    let base: URLRecord
    let referrerPolicy: ReferrerPolicy

    convenience init(
        _ response: HTTPResponse, location: URLRecord, limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) {
        let header = response.header("content-type")
        let type = header?.utf8.split(separator: UInt8(ascii: ";"), maxSplits: 1).first.map { Substring($0).foldedType }
        let (json, unreadable) =
            Self.isJSON(type) ? ForeignJSON.outcome(response.body, contentType: header) : (nil, nil)
        let document = try Document.parse(
            Self.markup(of: response.body, type: type), contentType: header,
            url: location.withoutFragment.description, limits: limits)
        self.init(
            document, status: response.status, headers: response.headers, location: location, type: type, json: json,
            unreadableJSON: unreadable)
    }

    /// A page inside another one's source (`srcdoc`). Its base URL is the outer page's URL.
    convenience init(inline source: String, in page: Page) throws(DocumentError) {
        let document = try Document.parse(
            Array(source.utf8), contentType: "text/html; charset=utf-8", url: page.url)
        self.init(document, status: page.status, headers: [], location: page.location, type: "text/html", json: nil)
    }

    private init(
        _ document: Document, status: Int, headers: [HTTPHeader], location: URLRecord, type: String?, json: JSONValue?,
        unreadableJSON: String? = nil
    ) {
        self.document = document
        self.status = status
        self.headers = headers
        self.location = location
        self.json = json
        self.unreadableJSON = unreadableJSON
        contentType = type
        let metadata = document.metadata
        base = metadata.baseReference.flatMap { try? URLRecord(parsing: $0, base: location) } ?? location
        let policy = headers.last { $0.isNamed("referrer-policy") }?.value
        referrerPolicy =
            ReferrerPolicy(list: metadata.referrerPolicy) ?? ReferrerPolicy(list: policy)
            ?? .strictOriginWhenCrossOrigin
    }

    private static func isJSON(_ type: String?) -> Bool {
        type == "application/json" || type == "text/json" || type?.hasSuffix("+json") ?? false
    }

    private static let markupTypes = ["text/html", "application/xhtml+xml", "text/xml", "application/xml"]

    /// Returns the markup to parse: a page as it is, other text as plain text, and nothing for the rest.
    private static func markup(of body: [UInt8], type: String?) -> [UInt8] {
        guard let type, !markupTypes.contains(type) else { return body }
        return type.hasPrefix("text/") && !isJSON(type) ? Array("<plaintext>".utf8) + body : []
    }

    /// True for an answer that a browser saves, or shows in a viewer, in place of a page.
    var isFile: Bool {
        guard (200...299).contains(status), let contentType else { return false }
        let disposition = headers.last { $0.isNamed("content-disposition") }?.value
        if disposition?.lowercased().words.first?.hasPrefix("attachment") == true { return true }
        return !contentType.hasPrefix("text/") && !Self.markupTypes.contains(contentType) && !Self.isJSON(contentType)
    }

    /// The URL after redirects, without the fragment.
    public var url: String { document.url }
    public var title: String { document.title }
    /// The page's text as a person reads it.
    public var text: String { document.text }
    /// The URL's path, percent-encoded.
    public var path: String { location.path }

    public func elements(_ locator: Locator) throws(LocatorError) -> [Element] { try document.elements(locator) }

    /// Returns the one element that a locator finds.
    ///
    /// - Throws: ``LocatorError`` with candidates unless it finds exactly one.
    public func element(_ locator: Locator) throws(LocatorError) -> Element { try document.element(locator) }

    /// True if the page is a shell that only JavaScript would fill: it has scripts, and nothing to read or use.
    public var needsJavaScript: Bool { json == nil && JavaScriptWall.isShell(document) }

    /// Parts of the class names under which banks show what went wrong, in the languages of more than one.
    private static let noticeWords = [
        "error", "alert", "notice", "warning", "invalid", "fehler", "hinweis", "erreur", "avviso", "fout",
    ]

    /// The page's first notice or error, else its first heading.
    public var headline: String? { notice ?? heading?.text }

    /// The page's first notice or error, else its first heading with the paragraph below it: a heading is often only the
    /// title of what the bank has to say.
    package var explanation: String? { notice ?? heading.map(document.explanation) }

    private var heading: Element? { document.all(.heading, in: nil).first { !$0.text.isEmpty } }

    private var notice: String? {
        let alerts = document.root?.descendants.filter { element in
            let role = element[attribute: "role"]?.lowercased()
            if role == "alert" || role == "status" { return !element.isHidden }
            return element[attribute: "class"]?.lowercased().words.contains { word in
                Self.noticeWords.contains(where: word.contains)
            } ?? false && !element.isHidden
        }
        return alerts?.lazy.map(\.text).first { !$0.isEmpty }
    }

    var refresh: Refresh? {
        let header = headers.last { $0.isNamed("refresh") }?.value
        return (header ?? document.metadata.refresh).flatMap(Refresh.init)
    }

    /// The page's title and URL, for a message.
    var place: String { title.isEmpty ? location.displayText : "“\(title.prefix(60))” \(location.displayText)" }
}

extension Substring {
    fileprivate var foldedType: String { String(self).foldingSpace.lowercased() }
}
