import Encodings
import Selectors

/// Something that a script's conditions can be evaluated on.
///
/// Its properties throw ``EngineError`` when no page is open yet.
protocol ConditionSubject {
    var title: FoldedText { get throws(EngineError) }
    var text: FoldedText { get throws(EngineError) }
    /// Nil when the subject has no address of its own; then no `path` condition holds.
    var path: String? { get throws(EngineError) }
    var status: Int { get throws(EngineError) }
    var json: JSONValue? { get }

    func finds(_ locator: Locator) async throws -> Bool
}

/// The page that the engine has open. Its texts are folded once for all conditions that read them.
final class OpenPage: ConditionSubject {
    /// Nil when no page is open.
    let page: EnginePage?
    let json: JSONValue?
    private let engine: any NavigationEngine
    private lazy var foldedTitle = page.map { FoldedText($0.title) }
    private lazy var foldedText = page?.foldedText

    /// - Parameter answer: the answer to the latest JSON request. It hides the page's own JSON.
    init(_ page: EnginePage?, answer: JSONValue?, of engine: any NavigationEngine) {
        self.page = page
        self.engine = engine
        json = answer ?? page?.json
    }

    var opened: EnginePage {
        get throws(EngineError) { try Self.opened(page) }
    }

    var title: FoldedText {
        get throws(EngineError) { try Self.opened(foldedTitle) }
    }

    var text: FoldedText {
        get throws(EngineError) { try Self.opened(foldedText) }
    }

    var path: String? {
        get throws(EngineError) { try opened.path }
    }

    var status: Int {
        get throws(EngineError) { try opened.status }
    }

    func finds(_ locator: Locator) async throws -> Bool { try await !engine.shownTexts(locator).isEmpty }

    private static func opened<Part>(_ part: Part?) throws(EngineError) -> Part {
        guard let part else { throw EngineError(.other, "no page is open yet; begin with an open step") }
        return part
    }
}

/// An answer that came where a document was expected. The engine does not open it.
final class AnswerInsteadOfDocument: ConditionSubject {
    let file: EngineFile
    private(set) lazy var title = FoldedText(file.page?.title ?? "")
    private(set) lazy var text = file.page?.foldedText ?? FoldedText("")

    init(_ file: EngineFile) {
        self.file = file
    }

    /// The path that the last redirect led to, where the engine tells it.
    var path: String? { file.page.flatMap { $0.url == EnginePage.unknownURL ? nil : $0.path } }
    var status: Int { file.status }
    var json: JSONValue? { file.page?.json }

    func finds(_ locator: Locator) -> Bool { file.page?.finds(locator) ?? false }

    /// The failure that explains an answer of a firewall or a server that is asked too often; nil for any other answer.
    var turningAway: RunFailure? { file.page.flatMap { RunFailure(turnedAwayBy: $0) } }

    /// The answer's own explanation: its JSON message, a notice, an error, or a heading with the text below it.
    var explanation: String? { if let json { json.ownWords } else { file.page?.explanation } }

    /// The answer as a message names it: a page by its title, anything else by its type and size.
    var summary: String {
        let type = file.mediaType ?? "an answer without a type"
        guard let title = file.page?.title, !title.isEmpty else { return "\(type), \(file.bytes) bytes" }
        return "a page titled “\(sanitised(title))” (\(type))"
    }
}
