import HTMLEngine
import JSON
import TextMatching

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
                url: url, path: path, status: status, title: title, json: json, headerFields: headers, readText: text,
                readHeadline: headline, readWall: needsJavaScript))
    }

    /// With query, without userinfo; sanitise before showing.
    public var url: String { content.url }
    public var path: String { content.path }
    public var status: Int { content.status }
    public var title: String { content.title }
    /// The page's JSON when it is JSON.
    public var json: JSONValue? { content.json }
    public var headers: [(name: String, value: String)] { content.headerFields }
    /// The whole page's text, as a person reads it.
    public var text: String { content.text }
    /// The first heading, and what looks like a notice or an error: the page's own explanation of itself.
    public var headline: String? { content.headline }
    /// The page is a shell that only JavaScript would fill.
    public var needsJavaScript: Bool { content.needsJavaScript }
    /// The text, to look for others in it.
    var foldedText: FoldedText { content.foldedText }
}

/// What an ``EnginePage`` reads from; an object, as pages are handed about before and after every step.
protocol EnginePageContent: AnyObject, Sendable {
    var url: String { get }
    var path: String { get }
    var status: Int { get }
    var title: String { get }
    var json: JSONValue? { get }
    var headerFields: [(name: String, value: String)] { get }
    var text: String { get }
    var foldedText: FoldedText { get }
    var headline: String? { get }
    var needsJavaScript: Bool { get }
}

/// Of an engine that is not ours.
private final class GivenContent: EnginePageContent {
    let url: String
    let path: String
    let status: Int
    let title: String
    let json: JSONValue?
    let headerFields: [(name: String, value: String)]
    private let readText: @Sendable () -> String
    private let readHeadline: @Sendable () -> String?
    private let readWall: @Sendable () -> Bool

    init(
        url: String, path: String, status: Int, title: String, json: JSONValue?,
        headerFields: [(name: String, value: String)], readText: @escaping @Sendable () -> String,
        readHeadline: @escaping @Sendable () -> String?, readWall: @escaping @Sendable () -> Bool
    ) {
        self.url = url
        self.path = path
        self.status = status
        self.title = title
        self.json = json
        self.headerFields = headerFields
        self.readText = readText
        self.readHeadline = readHeadline
        self.readWall = readWall
    }

    var text: String { readText() }
    var foldedText: FoldedText { FoldedText(readText()) }
    var headline: String? { readHeadline() }
    var needsJavaScript: Bool { readWall() }
}

/// A page of our own engine is read as it is.
extension Page: EnginePageContent {
    var headerFields: [(name: String, value: String)] { headers.map { (name: $0.name, value: $0.value) } }
    var foldedText: FoldedText { FoldedText(of: document) }
}
