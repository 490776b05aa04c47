import BankScript
import Markup
import Selectors

/// A link, a button or a field of a bank's page that changed between two recordings.
package struct PageDrift: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// It has this name now.
        case renamed(to: String)
        case gone
        case new
        /// A page of this title comes in place of the old one.
        case anotherPage(title: String)
    }

    /// The page's title in the old recording.
    package let page: String
    /// The first step that begins on the page, in words.
    package let step: String
    /// Such as `link “Statements”`.
    package let part: String
    package let kind: Kind
    /// The script looks for this part, so that the change stops it, or a second way saves it.
    package let isUsed: Bool

    /// The change in words.
    package var words: String {
        switch kind {
        case .renamed(let name): "\(part) is called “\(name)” now"
        case .gone: "\(part) has gone"
        case .new: "\(part) is new"
        case .anotherPage(let title): "another page, “\(title)”, comes here"
        }
    }
}

/// Compares the skeletons of a bank's pages in two recordings: the names, kinds and order of links, buttons and fields. Rows of
/// tables and lists, which hold what is the person's, do not count, and neither do names with digits.
package struct DriftReport: Sendable {
    /// In the order of the steps; a change of a menu, which every page has, once.
    package let drifts: [PageDrift]
    /// The step that the new recording ends or stops at, in words; nil when the script goes to its end in it.
    package let endsAt: String?

    /// Two parts that are less alike are a part that has gone, and a new one.
    private static let sameFrom = 0.6

    /// - Throws: ``MendRefusal`` when the script does not match the old recording.
    package init(
        _ script: BankScript, old: HTTPArchive, new: HTTPArchive, oldParameters: [String: ParameterValue],
        newParameters: [String: ParameterValue]
    ) async throws(MendRefusal) {
        let numbered = script.numbered
        let pair = RecordedPair(
            script, old: old, new: new, oldParameters: oldParameters, newParameters: newParameters)
        let before = try await pair.replayOld(numbered)
        if case .document = before.end {
        } else {
            throw MendRefusal(
                .oldRecordingDiffers, "the script does not match the old recording, so it tells nothing about the pages"
            )
        }
        let after = try await pair.replayNew(numbered)
        let steps = numbered.stepsByNumber
        let origins = (old: try pair.served(script, old).origins, new: try pair.served(script, new).origins)
        let texts = StatementPeriod.texts(of: oldParameters)
        var drifts: [PageDrift] = []
        var seen: Set<String> = []
        for (number, step) in steps {
            guard let here = before.sights[number], let there = after.sights[number] else { continue }
            let old = Self.skeleton(of: here.document, origins.old)
            let new = Self.skeleton(of: there.document, origins.new)
            let used = steps.filter { before.sights[$0.number]?.document.url == here.document.url }.flatMap { place in
                LocatorSlot.all(of: place.step.action).flatMap { slot in
                    Self.elements(slot.locator, on: here.document, texts, locale: script.locale)
                }
            }
            guard Self.areOnePage(old, new) else {
                drifts.append(
                    PageDrift(
                        page: here.document.title, step: step.action.words, part: "",
                        kind: .anotherPage(title: there.document.title), isUsed: true))
                break
            }
            for drift in Self.changes(from: old, to: new) {
                let isUsed = drift.old.map { used.contains($0.element) } ?? false
                let part = drift.old ?? drift.new
                guard let part, seen.insert("\(part.kind) \(part.name) \(drift.kind)").inserted else { continue }
                drifts.append(
                    PageDrift(
                        page: here.document.title, step: step.action.words, part: Self.words(of: part),
                        kind: drift.kind,
                        isUsed: isUsed))
            }
        }
        self.drifts = drifts
        endsAt = after.stop.flatMap { stop in steps.first { $0.number == stop }?.step.action.words }
    }

    /// Returns whether a page still has a third of its parts. Less is another page, such as an offer before it.
    private static func areOnePage(_ old: [PagePart], _ new: [PagePart]) -> Bool {
        let same = old.count { part in
            new.contains { $0.name == part.name && $0.kind == part.kind || $0.likeness(to: part) >= sameFrom }
        }
        return 3 * same >= old.count
    }

    private struct Change {
        let old: PagePart?
        let new: PagePart?
        let kind: PageDrift.Kind
    }

    /// Returns the parts of a page that are the bank's own: no rows, and no names that hold a number.
    private static func skeleton(of document: Document, _ origins: [String]) -> [PagePart] {
        PagePart.all(of: document, origins: origins).filter { part in
            part.hasUsableName && part.element.row == nil && !part.name.contains(where: \.isNumber)
        }
    }

    private static func changes(from old: [PagePart], to new: [PagePart]) -> [Change] {
        func isThere(_ part: PagePart, _ parts: [PagePart]) -> Bool {
            parts.contains { $0.kind == part.kind && $0.name == part.name }
        }
        let gone = old.filter { !isThere($0, new) }
        var added = new.filter { !isThere($0, old) }
        var changes: [Change] = []
        for part in gone {
            let nearest = added.indices.max { added[$0].likeness(to: part) < added[$1].likeness(to: part) }
            if let nearest, added[nearest].likeness(to: part) >= sameFrom {
                let other = added.remove(at: nearest)
                changes.append(Change(old: part, new: other, kind: .renamed(to: other.name)))
            } else {
                changes.append(Change(old: part, new: nil, kind: .gone))
            }
        }
        return changes + added.map { Change(old: nil, new: $0, kind: .new) }
    }

    private static func elements(
        _ locator: Locator, on document: Document, _ texts: [String: String], locale: String
    ) -> [Element] {
        for way in locator.ways {
            let filled = try? way.filling { text throws(TemplateError) in
                try Template(text).filled(with: texts, locale: locale)
            }
            guard let filled, let found = try? document.elements(filled), !found.isEmpty else { continue }
            return found
        }
        return []
    }

    private static func words(of part: PagePart) -> String {
        switch part.kind {
        case .link: "link “\(part.name)”"
        case .button: "button “\(part.name)”"
        case .field: "field “\(part.name)”"
        }
    }
}
