import Automation
import Encodings
import Foundation
import HTMLEngine
import Machine
import Markup
import Selectors
import WebURL

/// The engine's own page serves the interpreter as it is.
extension Page: EnginePageContent {
    package var headerFields: [(name: String, value: String)] { headers.map { (name: $0.name, value: $0.value) } }
    package var unreadable: String? { unreadableJSON }
    package var foldedText: FoldedText { FoldedText(of: document) }
    package func finds(_ locator: Locator) -> Bool { (try? elements(locator).contains(where: \.isShown)) == true }
}

extension EnginePage {
    /// Reads a download that is not a document. Nil when it is neither HTML nor JSON, or when it is too large for a page
    /// that explains itself.
    ///
    /// - Parameter url: where the answer came from, after redirects.
    package init?(downloaded received: EngineFile, at file: URL, from url: String = EnginePage.unknownURL) {
        guard let content = DownloadedPage(received, at: file, from: url) else { return nil }
        self.init(content)
    }
}

/// A page, or a JSON answer, that came where a document was expected.
private final class DownloadedPage: EnginePageContent {
    /// Larger answers are not read.
    private static let maximumBytes = 1 << 20

    let url: String
    let status: Int
    let json: JSONValue?
    let headerFields: [(name: String, value: String)]
    private let document: Document?

    init?(_ received: EngineFile, at file: URL, from url: String) {
        guard received.bytes <= Self.maximumBytes, let data = try? OpenedFile(file).bytes(atMost: Self.maximumBytes)
        else { return nil }
        let type = received.mediaType
        json = type?.contains("json") == true ? try? ForeignJSON.read(data, contentType: type) : nil
        document =
            type?.contains("html") ?? true
            ? try? Document.parse(data, contentType: type, url: "about:blank") : nil
        guard json != nil || document != nil else { return nil }
        status = received.status
        self.url = url
        headerFields = received.retryAfter.map { [(name: "Retry-After", value: $0)] } ?? []
    }

    var path: String { (try? URLRecord(parsing: url))?.path ?? "" }
    var title: String { document?.title ?? "" }
    var text: String { document?.text ?? "" }
    var foldedText: FoldedText { document.map { FoldedText(of: $0) } ?? FoldedText("") }
    var needsJavaScript: Bool { false }

    /// A notice or an error, or else the first heading or the title.
    var headline: String? { headlineElement?.text }

    var explanation: String? {
        guard let element = headlineElement, let document else { return nil }
        return ["h1", "h2"].contains(element.name) ? document.explanation(of: element) : element.text
    }

    private var headlineElement: Element? {
        for selector in ["[role=alert], [role=status]", "h1", "h2", "title"] {
            let found = (try? document?.elements(.css(selector))) ?? []
            if let element = found.first(where: { !$0.text.isEmpty }) { return element }
        }
        return nil
    }

    func finds(_ locator: Locator) -> Bool { (try? document?.elements(locator).contains(where: \.isShown)) == true }
}
