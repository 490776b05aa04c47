import HTMLEngine
import TextMatching

/// A page as it stood when a script's conditions were asked of it; what it says is folded once for all of them.
final class AskedPage {
    /// Nil when none was open.
    let page: EnginePage?
    private lazy var title = page.map { FoldedText($0.title) }
    private lazy var text = page?.foldedText

    init(_ page: EnginePage?) {
        self.page = page
    }

    var opened: EnginePage {
        get throws(EngineError) {
            guard let page else { throw EngineError(.other, "no page is open yet; begin with an open step") }
            return page
        }
    }

    /// As ``Swift/String/containsFolded(_:)``.
    func says(_ words: String) throws(EngineError) -> Bool {
        _ = try opened
        return text?.contains(words) ?? false
    }

    func isTitled(_ words: String) throws(EngineError) -> Bool {
        _ = try opened
        return title?.contains(words) ?? false
    }
}
