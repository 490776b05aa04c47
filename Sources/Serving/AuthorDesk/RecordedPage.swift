import Authoring
import HTMLAutomation
import HTMLEngine
import Markup

/// A page of a recording, whose elements have numbers.
struct RecordedPage: Sendable {
    /// The place among the recorded exchanges that have an answer.
    let exchange: Int
    let status: Int
    let document: Document
    /// The elements in document order. The index is the number of an element.
    let elements: [Element]
    private let numbers: [Element: Int]

    init?(_ recorded: Exchange, at index: Int) {
        guard recorded.isPage, let body = recorded.responseBody, !body.isEmpty,
            let document = try? Document.parse(body, contentType: recorded.header("content-type"), url: recorded.url),
            let root = document.root
        else { return nil }
        exchange = index
        status = recorded.status
        self.document = document
        elements = [root] + Array(root.descendants)
        numbers = Dictionary(elements.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }

    func number(of element: Element) -> Int? { numbers[element] }

    /// The page without scripts, values and secrets, with the number of each element.
    var html: String { SanitisedPage(document, numbering: numbers).html }
}

/// The pages of a recording.
struct RecordedPages: Sendable {
    /// The most pages. Each is a tree in memory.
    private static let most = 300

    let all: [RecordedPage]

    init(_ archive: HTTPArchive) {
        let answered = archive.exchanges.filter { $0.status > 0 }
        all = Array(answered.indices.lazy.compactMap { RecordedPage(answered[$0], at: $0) }.prefix(Self.most))
    }

    func page(_ number: Int) -> RecordedPage? { all.indices.contains(number) ? all[number] : nil }

    /// Returns the number of the page that an exchange brought.
    func number(ofExchange index: Int) -> Int? { all.firstIndex { $0.exchange == index } }
}
