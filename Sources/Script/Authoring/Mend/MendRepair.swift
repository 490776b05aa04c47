import Automation
import BankScript
import Encodings
import Markup
import Selectors

/// The step that stopped a replay, its page now and before, and the changes that may help.
struct MendRepair {
    let number: Int
    let script: BankScript
    /// The replay of the old recording.
    let before: MendReplay
    let stuck: MendReplay
    let failure: RunFailure
    let origins: (old: [String], new: [String])
    /// The values that templates name, in the new recording and in the old one.
    let texts: [String: String]
    let oldTexts: [String: String]
    /// The new recording: a search turns pages within one step.
    let recording: HTTPArchive

    /// The page's title, for messages.
    var title: String { page?.document.title.inLine(limit: 80) ?? "" }

    private var page: PageSight? { stuck.sights[number] }

    /// Other reasons say themselves what happened, and none of them is a new layout.
    private static let reasons: [FailureReason] = [
        .layoutChanged, .statementMissing, .searchLimit, .signInNotConfirmed,
    ]

    /// Below this score, a change is like the step in nothing but its kind.
    private static let worthTrying = 0.3

    /// The most links that are tried as the way to a page that moved.
    private static let mostLinks = 60

    /// - Throws: ``MendRefusal`` when the page is one that a mend must not look at, or the step one that it cannot change.
    func options() throws(MendRefusal) -> [MendOption] {
        guard let step = script.stepsByNumber.first(where: { $0.number == number })?.step else {
            throw MendRefusal(.otherStep, "the run failed outside the script's steps: \(failure.message)")
        }
        if let reason = failure.reason, !Self.reasons.contains(reason) {
            let kind: MendRefusal.Kind =
                switch reason {
                case .foreignOrigin: .foreignOrigin
                case .sessionExpired: .signInAgain
                default: .errorPage
                }
            throw MendRefusal(kind, "the run ended with \(reason.rawValue): \(failure.message)")
        }
        guard let page, let old = before.sights[number] else {
            throw MendRefusal(
                .otherStep,
                "“\(step.action.words)” came where the recording shows no page: \(failure.message)")
        }
        let all = before.sights.values.map(\.self)
        try PageJudgement(script: served, oldPages: all).check(page, insteadOf: old)
        let slots = LocatorSlot.all(of: step.action)
        guard !slots.isEmpty else {
            throw MendRefusal(
                .otherStep, "“\(step.action.words)” is not a step that a mend changes: \(failure.message)")
        }
        let missing = slots.filter { elements($0.locator, on: page, texts).isEmpty }
        guard !missing.isEmpty || slots.allSatisfy({ $0.kind == .control }) else {
            throw MendRefusal(
                .otherStep, "the page has what “\(step.action.words)” uses: \(failure.message)")
        }
        if let word = Self.newPayment(on: page, old) {
            // The control in the place of the step's own would pay. A step that leads past this page may still be right.
            let ways = try between(page, all, isUsed: [])
            guard ways.isEmpty else { return ways }
            throw Self.commits("“\(title)”", word)
        }
        var options: [MendOption] = []
        for slot in missing.isEmpty ? slots : missing { options += try self.options(for: slot, page, old) }
        options += choiceAsLinks(step, page)
        if !options.contains(where: { $0.score >= 0.5 && $0.kind == .locator }) {
            options += try between(page, all, isUsed: options)
        }
        options += movedLinks(missing, step, page)
        return options
    }

    /// Returns a word of the page's title or headline that may move money, where the old page had none.
    private static func newPayment(on page: PageSight, _ old: PageSight) -> String? {
        func word(_ sight: PageSight) -> String? {
            MendWords.money(in: sight.document.title + " " + PageJudgement.headline(of: sight.document))
        }
        return word(old) == nil ? word(page) : nil
    }

    private static func commits(_ what: String, _ word: String) -> MendRefusal {
        MendRefusal(
            .asksForMore,
            "\(what) says “\(word)”, which nothing there said before: a person decides about that; look at it in a browser"
        )
    }

    private var served: BankScript {
        var copy = script
        copy.origins = origins.new
        return copy
    }

    private func filled(_ locator: Locator, _ texts: [String: String]) -> Locator? {
        try? locator.filling { text throws(TemplateError) in
            try Template(text).filled(with: texts, locale: script.locale)
        }
    }

    private func elements(_ locator: Locator, on page: PageSight, _ texts: [String: String]) -> [Element] {
        for way in locator.ways {
            guard let way = filled(way, texts), let found = try? page.document.elements(way), !found.isEmpty else {
                continue
            }
            return found
        }
        return []
    }

    // MARK: Another name

    private func options(
        for slot: LocatorSlot, _ page: PageSight, _ old: PageSight
    ) throws(MendRefusal) -> [MendOption] {
        if slot.kind == .row { return rows(for: slot) }
        let oldParts = PagePart.all(of: old.document, origins: origins.old)
        let known = elements(slot.locator, on: old, oldTexts)
        guard let was = oldParts.first(where: { known.contains($0.element) }) else { return [] }
        let parts = PagePart.all(of: page.document, origins: origins.new)
        let fitting = parts.filter { slot.kind.fits($0.kind) }
        if slot.holdsCredential { try checkField(was, fitting) }
        let naming = ElementNaming(document: page.document)
        var options: [MendOption] = []
        var names: Set<String> = []
        var refused: (name: String, word: String, score: Double)?
        for part in fitting where part.hasUsableName {
            if slot.holdsCredential, !isSameField(part, was) { continue }
            // A button with the earlier address and place gets a high score even if its name is another.
            if let word = MendWords.commitment(in: part.name), MendWords.commitment(in: was.name) == nil {
                let score = part.likeness(to: was)
                if score > refused?.score ?? Self.worthTrying { refused = (part.name, word, score) }
                continue
            }
            if BankingWords.isSignOut(part.name), !BankingWords.isSignOut(was.name) { continue }
            let several = fitting.filter { $0.name == part.name }
            let locator: Locator
            if slot.kind == .control, several.count > 1 {
                // A list has one in each row; the step looks inside the row that a search found.
                guard names.insert(part.name).inserted else { continue }
                locator = slot.kind.locator(named: part.name)
            } else {
                guard let found = Self.locator(for: part, slot.kind, naming) else { continue }
                locator = found
            }
            let score = several.map { $0.likeness(to: was) }.max() ?? 0
            options.append(
                MendOption(
                    kind: .locator, target: "\(locator)", words: "look for \(locator) too",
                    reason: reason(for: part, was), score: score
                ) {
                    $0.replacing(number) { step in
                        [Step(slot.adding(locator), expecting: step.expected)]
                    }
                })
        }
        if let refused, refused.score >= options.map(\.score).max() ?? 0 {
            throw Self.commits(
                "“\(refused.name.inLine(limit: 60))”, in the place of “\(was.name.inLine(limit: 60))”,", refused.word)
        }
        return Array(options.sorted { $0.score > $1.score }.prefix(8))
    }

    private static func locator(for part: PagePart, _ kind: LocatorSlot.Kind, _ naming: ElementNaming) -> Locator? {
        switch (kind, part.kind) {
        case (.control, _):
            let plain = Locator.control(.name(part.name))
            return (try? naming.document.elements(plain)) == [part.element] ? plain : nil
        case (_, .link): return naming.link(part.element)
        case (_, .button): return naming.button(part.element)
        case (_, .field): return naming.field(part.element)
        }
    }

    private func isSameField(_ part: PagePart, _ was: PagePart) -> Bool {
        !was.submissionName.isEmpty && part.submissionName == was.submissionName && part.type == was.type
            && part.destination != nil && part.destination == was.destination
    }

    /// Refuses to look for another field for a credential: its name, its type and its form's address have to be the same.
    private func checkField(_ was: PagePart, _ fields: [PagePart]) throws(MendRefusal) {
        guard !fields.contains(where: { isSameField($0, was) }),
            let near = fields.max(by: {
                $0.likeness(to: was) < $1.likeness(to: was)
            }), near.likeness(to: was) >= 0.3
        else { return }
        func words(_ part: PagePart) -> String {
            "“\(part.submissionName.inLine(limit: 60))” (\(part.type)) of \(part.destination.map { "\($0)" } ?? "no form")"
        }
        throw MendRefusal(
            .credentialElsewhere,
            "the field “\(was.name)” was \(words(was)); the nearest one now is \(words(near)): a mend never decides where a "
                + "credential goes; look at the page, and change the script yourself")
    }

    private func reason(for part: PagePart, _ was: PagePart) -> String {
        var same: [String] = []
        if part.destination != nil, part.destination == was.destination {
            same.append(part.kind == .link ? "it leads to the same address" : "its form goes to the same address")
        }
        if !was.submissionName.isEmpty, part.submissionName == was.submissionName {
            same.append("it is sent as “\(was.submissionName)”")
        }
        if !was.id.isEmpty, part.id == was.id { same.append("it has the same id") }
        if was.isOnlyButton, part.isOnlyButton { same.append("it is its form's only button") }
        if PagePart.nameLikeness(was.name, part.name) >= 0.5 { same.append("the names are alike") }
        if !was.neighbours.isDisjoint(with: part.neighbours) { same.append("it stands beside the same things") }
        return "“\(was.name.inLine(limit: 60))” has gone, and “\(part.name)” seems to replace it: "
            + (same.isEmpty ? "it is of the same kind" : same.joined(separator: ", "))
    }

    // MARK: A month in another form

    private func rows(for slot: LocatorSlot) -> [MendOption] {
        guard case .row(let text) = slot.locator.target, PeriodForms.namesMonth(text) else { return [] }
        let pages = recording.exchanges.filter(\.isPage).compactMap { exchange in
            exchange.responseBody.flatMap {
                try? Document.parse($0, contentType: exchange.header("content-type"), url: exchange.url)
            }
        }
        return PeriodForms.all.compactMap { form in
            let locator = Locator.row(.name(form.source))
            guard locator.target != slot.locator.target, let filled = filled(locator, texts) else { return nil }
            let found = pages.compactMap { try? $0.elements(filled) }.first { !$0.isEmpty } ?? []
            guard found.count == 1 else { return nil }
            return MendOption(
                kind: .locator, target: "the row", words: "look for \(locator) too",
                reason: "no row says the month as before, and exactly one says it in this form", score: 0.75
            ) { $0.replacing(number) { step in [Step(slot.adding(locator), expecting: step.expected)] } }
        }
    }

    // MARK: Other pages

    private func between(
        _ page: PageSight, _ old: [PageSight], isUsed: [MendOption]
    ) throws(MendRefusal) -> [MendOption] {
        let ways: [PageBetween]
        do {
            ways = try PageBetween.ways(from: page, old: old, origins: origins.new)
        } catch {
            // Another change of the step may still be right.
            if isUsed.contains(where: { $0.score >= Self.worthTrying }) { return [] }
            throw error
        }
        return ways.map { way in
            MendOption(
                kind: .pageBetween, target: way.way.name,
                words: "before it, when \(way.condition.words): \(way.steps[0].action.words)", reason: way.reason,
                score: way.score
            ) {
                $0.replacing(number) { step in
                    [Step(.when(way.condition, way.steps, otherwise: [])), step]
                }
            }
        }
    }

    /// Tries each link of the page as the way to the page on which the step's own link or field is now. Only a recording that
    /// goes on tells which one is right.
    private func movedLinks(_ missing: [LocatorSlot], _ step: Step, _ page: PageSight) -> [MendOption] {
        guard let slot = missing.first, missing.count == 1, slot.kind == .link, !slot.holdsCredential else { return [] }
        let naming = ElementNaming(document: page.document)
        let links = PagePart.all(of: page.document, origins: origins.new).filter {
            $0.kind == .link && $0.hasUsableName && $0.destination?.originIndex != nil
                && !BankingWords.isSignOut($0.name) && MendWords.commitment(in: $0.name) == nil
        }
        return links.prefix(Self.mostLinks).compactMap { link in
            guard let locator = naming.link(link.element) else { return nil }
            return MendOption(
                kind: .movedLink, target: link.name,
                words: "before it, where the page does not show \(slot.locator): follow \(locator)",
                reason: "the new recording goes to that page, which has \(slot.locator)", score: 0.7,
                needsConfirmation: true
            ) {
                $0.replacing(number) { step in
                    [Step(.when(.not(.shows(slot.locator)), [Step(.follow(locator))], otherwise: [])), step]
                }
            }
        }
    }

    /// A list of years that became links: the choice, and the button that sent it, are one link now.
    private func choiceAsLinks(_ step: Step, _ page: PageSight) -> [MendOption] {
        guard let choose = step.action.as(ChooseStep.self), case .template(let option) = choose.option,
            let text = try? option.filled(with: texts, locale: script.locale)
        else { return [] }
        let link = Locator.link(.exact(text))
        let steps = script.stepsByNumber
        guard (try? page.document.elements(link))?.count == 1,
            let index = steps.firstIndex(where: { $0.number == number })
        else { return [] }
        let named = Locator.link(.exact(option.source))
        let next = steps.dropFirst(index + 1).first
        let button = next.flatMap { next -> Step? in
            next.step.action.as(PressStep.self) == nil ? nil : next.step
        }
        return [
            MendOption(
                kind: .choiceAsLinks, target: text,
                words: "where the page does not show \(choose.list): follow \(named)",
                reason: "the list has gone, and a link has the name of the choice", score: 0.8
            ) { script in
                let both = Condition.shows(choose.list)
                let changed = script.replacing(number) { step in
                    [Step(.when(both, [step] + (button.map { [$0] } ?? []), otherwise: [Step(.follow(named))]))]
                }
                guard let next, button != nil else { return changed }
                return changed.replacing(next.number) { step in step.mark?.line == next.number ? [] : [step] }
            }
        ]
    }
}
