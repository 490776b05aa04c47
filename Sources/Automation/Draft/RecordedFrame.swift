import DOM
import HTMLEngine
import Selectors
import WebURL

/// What a frame of a page showed at first.
struct RecordedFrame {
    let visit: RecordedVisit
    let document: Document
    let outline: PageOutline
    /// The frames to go into one after the other, from the page around them.
    private(set) var way: [Locator]

    /// Nil when the recording does not have the frame's page.
    init?(_ visit: RecordedVisit, way: [Locator]) {
        guard let document = visit.document else { return nil }
        self.visit = visit
        self.document = document
        self.outline = PageOutline(document)
        self.way = way
    }

    /// The same from inside a frame around it; nil when it is not in there.
    func inside(_ frame: RecordedFrame) -> RecordedFrame? {
        guard way.count > frame.way.count, way.starts(with: frame.way) else { return nil }
        var copy = self
        copy.way.removeFirst(frame.way.count)
        return copy
    }

    /// The frame of a page whose address was visited.
    static func element(of visit: RecordedVisit, in document: Document) -> Element? {
        let base = try? URLRecord(parsing: document.url)
        return document.root?.descendants.first { element in
            guard element.name == "iframe" || element.name == "frame", let source = element[attribute: "src"],
                let url = try? URLRecord(parsing: source, base: base)
            else { return false }
            return url.withoutFragment.description == visit.url
        }
    }

    /// A selector that finds that frame alone; nil when there is no such frame, or nothing tells it from others.
    static func locator(of visit: RecordedVisit, in document: Document) -> Locator? {
        guard let frame = element(of: visit, in: document) else { return nil }
        var options: [Locator] = []
        for attribute in ["id", "name", "title"] {
            guard let value = frame[attribute: attribute], value.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_-]*/) != nil
            else { continue }
            options.append(.css(attribute == "id" ? "#\(value)" : "\(frame.name)[\(attribute)=\(value)]"))
        }
        options.append(.css(frame.name))
        return options.first { (try? document.elements($0)) == [frame] }
    }
}
