import Encodings
import Markup
import Selectors

// A text that the page shows, though no row or card is clearly its own: the author of a script wants to know where it stands.

extension Document {
    /// Returns a sentence about the entry in which the text of a row stands, and about what a script can say instead; nil
    /// where the page does not show the text.
    func whereTextStands(of locator: Locator) -> String? {
        guard case .row(let text) = locator.target, locator.hasText == nil,
            let found = try? innermost(saying: text, in: nil, of: locator), let first = found.first
        else { return nil }
        let entries = found.prefix(Self.mostEntries).map(\.entryAround)
        let isOther = text.wantedPeriod.map { wanted in
            entries.allSatisfy { $0.ownPeriod.map { !$0.covers(wanted) } ?? false }
        }
        let entry = first.entryAround.text
        let words = entry.count > 60 ? entry.prefix(59) + "…" : entry[...]
        guard isOther ?? false, found.count <= Self.mostEntries else {
            return
                "the page says it in “\(words)”, where no link or button is clearly its own; if one is, name it by css or by its own text"
        }
        return
            "the page says it only in the entry “\(words)”, which is another month's; if that entry is meant, name it by its own month, or by css"
    }

    /// On a hostile page there are thousands.
    private static let mostEntries = 20
}

extension Element {
    /// The row around it, or else the widest element around it whose text is as short as an entry's.
    fileprivate var entryAround: Element {
        let around = [self] + ancestors.prefix(20)
        if let row = around.first(where: { $0.isA(.row) }) { return row }
        return around.prefix { $0 == self || $0.text.count <= 80 && $0.tag != .body && $0.tag != .html }.last ?? self
    }
}
