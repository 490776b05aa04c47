import BankScript
import Encodings
import HTMLEngine
import Markup
import Selectors

/// A page that comes before the one that a step expects: an offer, a cookie banner, a second confirmation.
struct PageBetween {
    /// Holds on this page, and on none of the old recording.
    let condition: Condition
    let way: PagePart
    let locator: Locator
    let reason: String
    let score: Double

    var steps: [Step] {
        [Step(way.kind == .link ? .follow(locator) : .press(locator))]
    }

    /// Returns the ways to leave the page, best first.
    ///
    /// - Parameters:
    ///   - page: the page, which has not what the step uses.
    ///   - old: every page of the old recording.
    /// - Throws: ``MendRefusal`` of kind ``MendRefusal/Kind/asksForMore`` for a page that only a consent leaves, or a secret.
    static func ways(
        from page: PageSight, old: [PageSight], origins: [String]
    ) throws(MendRefusal) -> [PageBetween] {
        guard let condition = condition(for: page, old: old) else { return [] }
        let parts = PagePart.all(of: page.document, origins: origins)
        let naming = ElementNaming(document: page.document)
        let outline = PageOutline(page.document)
        var ways: [PageBetween] = []
        var refused: String?
        for part in parts where part.kind != .field && part.hasUsableName && part.destination?.originIndex != nil {
            let isLeaving = MendWords.isLeaving(part.name)
            guard isLeaving || MendWords.isGoingOn(part.name) else { continue }
            let form = outline.forms.first { $0.buttons.contains { $0.element == part.element } }
            if let field = form?.fields.first(where: { !$0.isHidden }) {
                refused = "a form with the field “\(field.label.inLine(limit: 60))”"
                continue
            }
            // A button tells the bank something, also one that says no.
            let isCareful = !isLeaving || part.kind == .button
            let text = Self.surroundings(of: part.element)
            if let word = isCareful ? MendWords.binding(in: text) : MendWords.money(in: text) {
                refused = "a page that says “\(word)”"
                continue
            }
            guard let locator = part.kind == .link ? naming.link(part.element) : naming.button(part.element) else {
                continue
            }
            ways.append(
                PageBetween(
                    condition: condition, way: part, locator: locator,
                    reason: isLeaving
                        ? "the page “\(page.document.title.inLine(limit: 60))” is new, and “\(part.name)” leaves it "
                            + "without agreeing to anything"
                        : "the page “\(page.document.title.inLine(limit: 60))” is new, asks for nothing, and “\(part.name)” goes on",
                    score: isLeaving ? 0.85 : 0.65))
        }
        if ways.isEmpty {
            let title = page.document.title.inLine(limit: 80)
            let hasField = outline.forms.contains { form in form.fields.contains { !$0.isHidden && $0.isTypable } }
            if let refused {
                throw MendRefusal(
                    .asksForMore,
                    "“\(title)” is new, and only \(refused) leads on: a person decides about that; look at it in a browser"
                )
            }
            if hasField
                || MendWords.binding(in: page.document.title + " " + PageJudgement.headline(of: page.document)) != nil
            {
                throw MendRefusal(
                    .asksForMore,
                    "“\(title)” is new, and asks for something that the script has never given: look at it in a browser"
                )
            }
        }
        return ways.sorted { $0.score > $1.score }
    }

    /// Returns the text of the page's own part around a control, without menus and footers, which name payments on every page;
    /// the whole text where the page marks no such part.
    private static func surroundings(of control: Element) -> String {
        control.ancestors.first { $0.name == "main" }?.text ?? control.document.text
    }

    /// Returns a condition that tells the page from all old ones; nil for a page that is like one of them.
    private static func condition(for page: PageSight, old: [PageSight]) -> Condition? {
        let titles = old.map { $0.document.title.lowercased() }
        let parts = page.document.title.split { "–—|·".contains($0) }.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if let part = parts.first(where: { part in
            PagePart.isUsable(part) && !titles.contains { $0.contains(part.lowercased()) }
        }) {
            return .titled(Template(part))
        }
        let headings = Set(old.flatMap { PageOutline($0.document).headings.map { $0.text.lowercased() } })
        let heading = PageOutline(page.document).headings.map(\.text).first { text in
            PagePart.isUsable(text) && !headings.contains { $0.contains(text.lowercased()) }
        }
        return heading.map { .shows(.heading(.name($0))) }
    }
}
