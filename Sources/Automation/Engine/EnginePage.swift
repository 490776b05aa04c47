import HTMLEngine
import JSON

/// The page as it stands. It is looked at before and after every step, so that what it has is read when it is asked for.
public struct EnginePage: Sendable {
    private let content: any EnginePageContent

    init(_ content: any EnginePageContent) {
        self.content = content
    }

    public init(
        url: String, path: String, status: Int, title: String, text: @autoclosure @escaping @Sendable () -> String,
        headline: @autoclosure @escaping @Sendable () -> String? = nil,
        needsJavaScript: @autoclosure @escaping @Sendable () -> Bool = false, json: JSONValue? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        self.init(
            GivenContent(
                url: url, path: path, status: status, title: title, json: json, headers: headers, readText: text,
                readHeadline: headline, readWall: needsJavaScript))
    }

    /// With query, without userinfo; sanitise before showing.
    public var url: String { content.url }
    public var path: String { content.path }
    public var status: Int { content.status }
    public var title: String { content.title }
    /// The page's JSON when it is JSON.
    public var json: JSONValue? { content.json }
    public var headers: [(name: String, value: String)] { content.headers }
    /// The whole page's text, as a person reads it.
    public var text: String { content.text }
    /// The first heading, and what looks like a notice or an error: the page's own explanation of itself.
    public var headline: String? { content.headline }
    /// The page is a shell that only JavaScript would fill.
    public var needsJavaScript: Bool { content.needsJavaScript }
    /// The text, to look for others in it.
    var foldedText: FoldedText { content.foldedText }
}

/// What an ``EnginePage`` reads from.
protocol EnginePageContent: Sendable {
    var url: String { get }
    var path: String { get }
    var status: Int { get }
    var title: String { get }
    var json: JSONValue? { get }
    var headers: [(name: String, value: String)] { get }
    var text: String { get }
    var foldedText: FoldedText { get }
    var headline: String? { get }
    var needsJavaScript: Bool { get }
}

/// Of an engine that is not ours.
private struct GivenContent: EnginePageContent {
    let url: String
    let path: String
    let status: Int
    let title: String
    let json: JSONValue?
    let headers: [(name: String, value: String)]
    let readText: @Sendable () -> String
    let readHeadline: @Sendable () -> String?
    let readWall: @Sendable () -> Bool

    var text: String { readText() }
    var foldedText: FoldedText { FoldedText(readText()) }
    var headline: String? { readHeadline() }
    var needsJavaScript: Bool { readWall() }
}

/// Of the browser without a screen.
struct HTMLPageContent: EnginePageContent {
    let page: Page

    var url: String { page.url }
    var path: String { page.path }
    var status: Int { page.status }
    var title: String { page.title }
    var json: JSONValue? { page.json }
    var headers: [(name: String, value: String)] { page.headers.map { (name: $0.name, value: $0.value) } }
    var text: String { page.text }
    var foldedText: FoldedText { FoldedText(of: page.document) }
    var headline: String? { page.headline }
    var needsJavaScript: Bool { page.needsJavaScript }
}
