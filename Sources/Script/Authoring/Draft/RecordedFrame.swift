import HTMLEngine
import Markup
import Selectors
import WebURL

/// The first page that a frame showed.
struct RecordedFrame {
    let visit: RecordedVisit
    let document: Document
    let outline: PageOutline
    /// The frames to enter, one inside the other, beginning on the outer page.
    private(set) var route: [Locator]

    /// Returns nil when the recording lacks the frame's page.
    init?(_ visit: RecordedVisit, route: [Locator]) {
        guard let document = visit.document else { return nil }
        self.visit = visit
        self.document = document
        self.outline = PageOutline(document)
        self.route = route
    }

    /// Returns this frame as seen from inside an outer frame; nil when it is not inside that frame.
    func inside(_ frame: RecordedFrame) -> RecordedFrame? {
        guard route.count > frame.route.count, route.starts(with: frame.route) else { return nil }
        var copy = self
        copy.route.removeFirst(frame.route.count)
        return copy
    }

    /// Returns the frame element that loaded the visit.
    static func element(of visit: RecordedVisit, in document: Document) -> Element? {
        let base = try? URLRecord(parsing: document.url)
        return document.root?.descendants.first { element in
            guard element.name == "iframe" || element.name == "frame", let source = element[attribute: "src"],
                let url = try? URLRecord(parsing: source, base: base)
            else { return false }
            return url.withoutFragment.description == visit.url
        }
    }

    /// Returns a selector that finds only this frame; nil when there is no such frame, or no unique selector.
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
