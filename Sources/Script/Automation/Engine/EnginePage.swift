import Encodings
import Selectors

/// A page of an engine. The interpreter looks at it before and after every step, so everything is read on demand.
public struct EnginePage: Sendable {
    private let content: any EnginePageContent

    package init(_ content: any EnginePageContent) {
        self.content = content
    }

    /// - Parameter finds: tells whether a locator finds something on the page. Only a page that came instead of a document
    ///   is asked this; the interpreter asks the engine about the page that is open.
    public init(
        url: String, path: String, status: Int, title: String, text: @autoclosure @escaping @Sendable () -> String,
        headline: @autoclosure @escaping @Sendable () -> String? = nil,
        needsJavaScript: @autoclosure @escaping @Sendable () -> Bool = false, json: JSONValue? = nil,
        headers: [(name: String, value: String)] = [], finds: @escaping @Sendable (Locator) -> Bool = { _ in false }
    ) {
        self.init(
            ClosureContent(
                url: url, path: path, status: status, title: title, json: json, headerFields: headers, readText: text,
                readHeadline: headline, readNeedsJavaScript: needsJavaScript, find: finds))
    }

    /// The address of a page whose engine does not tell it.
    package static let unknownURL = "about:blank"

    /// With query, without userinfo; sanitise it before showing it.
    public var url: String { content.url }
    public var path: String { content.path }
    public var status: Int { content.status }
    public var title: String { content.title }
    /// The page's JSON when it is JSON.
    public var json: JSONValue? { content.json }
    /// Why a page that claims to be JSON was not read, with the byte; nil for any other page.
    var unreadable: String? { content.unreadable }
    public var headers: [(name: String, value: String)] { content.headerFields }
    /// The whole page's text, as a person reads it.
    public var text: String { content.text }
    /// The page's explanation of itself: a notice or an error, or else its first heading.
    public var headline: String? { content.headline }
    /// The headline, with the paragraph below it if it is a heading.
    var explanation: String? { content.explanation }
    /// The explanation of an error page. On another page, the text below the heading may be the owner's own.
    var wordsOfError: String? { status >= 400 ? explanation : nil }
    /// Only JavaScript would fill this page.
    public var needsJavaScript: Bool { content.needsJavaScript }
    /// The whole page's text, folded for searching.
    var foldedText: FoldedText { content.foldedText }

    func finds(_ locator: Locator) -> Bool { content.finds(locator) }
}

/// The source of an ``EnginePage``. It is an object because pages are passed around before and after every step.
package protocol EnginePageContent: AnyObject, Sendable {
    var url: String { get }
    var path: String { get }
    var status: Int { get }
    var title: String { get }
    var json: JSONValue? { get }
    var headerFields: [(name: String, value: String)] { get }
    var text: String { get }
    var foldedText: FoldedText { get }
    var headline: String? { get }
    /// The headline, with the paragraph below it if it is a heading.
    var explanation: String? { get }
    var needsJavaScript: Bool { get }
    /// Why content that claims to be JSON was not read.
    var unreadable: String? { get }
    func finds(_ locator: Locator) -> Bool
}

extension EnginePageContent {
    package var unreadable: String? { nil }
    package var explanation: String? { headline }
}

/// The content of a page that an embedder's engine describes with values and closures.
private final class ClosureContent: EnginePageContent {
    let url: String
    let path: String
    let status: Int
    let title: String
    let json: JSONValue?
    let headerFields: [(name: String, value: String)]
    private let readText: @Sendable () -> String
    private let readHeadline: @Sendable () -> String?
    private let readNeedsJavaScript: @Sendable () -> Bool
    private let find: @Sendable (Locator) -> Bool

    init(
        url: String, path: String, status: Int, title: String, json: JSONValue?,
        headerFields: [(name: String, value: String)], readText: @escaping @Sendable () -> String,
        readHeadline: @escaping @Sendable () -> String?, readNeedsJavaScript: @escaping @Sendable () -> Bool,
        find: @escaping @Sendable (Locator) -> Bool
    ) {
        self.url = url
        self.path = path
        self.status = status
        self.title = title
        self.json = json
        self.headerFields = headerFields
        self.readText = readText
        self.readHeadline = readHeadline
        self.readNeedsJavaScript = readNeedsJavaScript
        self.find = find
    }

    var text: String { readText() }
    var foldedText: FoldedText { FoldedText(readText()) }
    var headline: String? { readHeadline() }
    var needsJavaScript: Bool { readNeedsJavaScript() }
    func finds(_ locator: Locator) -> Bool { find(locator) }
}
