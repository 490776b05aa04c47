import CLibXML2
import Selectors

// What the page's own style sheets hide. A page often has a twin of its sign-in form for narrow screens, or the message of a
// refusal, in its markup at all times, and shows it by a class.

extension Document {
    /// The most comparisons of an element with a rule; a page that needs more has its style sheets unread.
    private static let mostComparisons = 2_000_000

    /// Notes which elements the `style` elements of the page hide, and its popovers, which are hidden until a button opens
    /// them (HTML Standard, section 6.12). Linked style sheets are not fetched: each would be a request more that no step asks
    /// for.
    func noteHiddenByStyles() {
        guard let root else { return }
        if let popover = interned("popover") {
            for node in ElementsBelow(root.node) where node.value(of: popover) != nil {
                node.notes.pointee.isHiddenByStyle = true
            }
        }
        guard interned("style") != nil else { return }
        var texts: [String] = []
        var count = 0
        for node in ElementsBelow(root.node) {
            count += 1
            guard node.tag == .style else { continue }
            let element = Element(node, in: self)
            guard element[attribute: "media"].map(MediaQuery.holds) ?? true else { continue }
            texts.append(element.rawText)
        }
        guard texts.contains(where: StyleSheet.mayHide) else { return }
        var layers: [String: Int] = [:]
        let read = texts.flatMap { StyleSheet($0, layers: &layers).rules }
        guard read.contains(where: { $0.declarations.contains { !$0.effect.isShown } }) else { return }
        let rules = read.enumerated().flatMap { order, rule in
            rule.selectors.flatMap { selector in
                rule.declarations.map { Cascaded(selector, $0, layer: rule.layer, order: order, in: self) }
            }
        }
        let hiding = rules.filter { !$0.declaration.effect.isShown }
        guard !hiding.isEmpty, rules.count * count <= Self.mostComparisons else { return }
        for node in ElementsBelow(root.node) {
            // A sheet that hides the whole page does so until a script has looked at it: against frames of other sites, or
            // against a page that is half drawn.
            guard node.tag != .body, !node.tag.isMetadata, hiding.contains(where: { $0.match.matches(node) })
            else { continue }
            if winner(.display(isShown: true), of: node, by: rules)?.isShown == false {
                node.notes.pointee.isHiddenByStyle = true
            }
        }
        if hiding.contains(where: { $0.declaration.effect == .visibility(isShown: false) }) {
            noteInvisible(below: root, by: rules)
        }
    }

    /// Notes which elements have no visibility. One in which another is visible again (CSS 2.2, section 11.2) is
    /// not noted itself, as its mark would hide both; what is beside the visible one is.
    private func noteInvisible(below root: Element, by rules: [Cascaded]) {
        var own: [xmlNodePtr: Bool] = [:]
        var aroundVisible: Set<xmlNodePtr> = []
        for node in ElementsBelow(root.node) where node.tag != .body && !node.tag.isMetadata {
            guard case .visibility(let isVisible)? = winner(.visibility(isShown: true), of: node, by: rules) else {
                continue
            }
            own[node] = isVisible
            guard isVisible else { continue }
            var outer = node.parentElement
            while let current = outer, aroundVisible.insert(current).inserted { outer = current.parentElement }
        }
        for (node, isVisible) in own where !isVisible {
            var work = [node]
            while let next = work.popLast() {
                guard aroundVisible.contains(next) else {
                    next.notes.pointee.isHiddenByStyle = true
                    continue
                }
                var child = next.firstElementChild
                while let current = child {
                    if own[current] == nil { work.append(current) }
                    child = current.nextElement
                }
            }
        }
    }

    /// Returns the declaration that wins among those that set the same property as another (CSS Cascade Level 4, section
    /// 6.1).
    private func winner(
        _ property: StyleSheet.Effect, of node: xmlNodePtr, by rules: [Cascaded]
    ) -> StyleSheet.Effect? {
        var winner: (weight: Cascaded.Weight, effect: StyleSheet.Effect)?
        for rule in rules where rule.declaration.effect.sets(sameAs: property) && rule.match.matches(node) {
            if winner.map({ $0.weight <= rule.weight }) ?? true {
                winner = (rule.weight, rule.declaration.effect)
            }
        }
        let own = node.value(named: "style").map { StyleSheet.declarations(in: String(cString: $0)) } ?? []
        for declaration in own where declaration.effect.sets(sameAs: property) {
            let weight = Cascaded.Weight(isImportant: declaration.isImportant, isInline: true)
            if winner.map({ $0.weight <= weight }) ?? true { winner = (weight, declaration.effect) }
        }
        return winner?.effect
    }
}

/// A rule among all rules of a page.
private struct Cascaded {
    struct Weight: Comparable {
        var isImportant: Bool
        var isInline = false
        var layer = StyleSheet.unlayered
        var specificity = Specificity()
        var order = 0

        static func < (left: Weight, right: Weight) -> Bool {
            if left.isImportant != right.isImportant { return right.isImportant }
            if left.isInline != right.isInline { return right.isInline }
            // What is important in a layer wins over what is important outside (CSS Cascade Level 5, section 6.4).
            if left.layer != right.layer { return (left.layer < right.layer) != left.isImportant }
            return left.specificity == right.specificity
                ? left.order < right.order : left.specificity < right.specificity
        }
    }

    let declaration: StyleSheet.Declaration
    let match: SelectorMatch
    let weight: Weight

    init(
        _ selector: ComplexSelector, _ declaration: StyleSheet.Declaration, layer: Int, order: Int,
        in document: Document
    ) {
        self.declaration = declaration
        match = SelectorMatch(SelectorList(selectors: [selector]), in: document, scope: nil)
        weight = Weight(
            isImportant: declaration.isImportant, layer: layer, specificity: Specificity(of: selector), order: order)
    }
}

/// A selector's specificity (CSS Selectors Level 4, section 17).
private struct Specificity: Comparable {
    var ids = 0
    var classes = 0
    var types = 0

    init() {}

    init(of selector: ComplexSelector) {
        for part in selector.parts {
            if part.compound.type != nil { types += 1 }
            for simple in part.compound.simple { add(simple) }
        }
    }

    private mutating func add(_ simple: SimpleSelector) {
        switch simple {
        case .id: ids += 1
        case .class, .attribute, .state, .lang: classes += 1
        case .is(let list), .not(let list): add(highestOf: list.selectors)
        case .has(let selectors): add(highestOf: selectors)
        case .nth(let nth):
            classes += 1
            if let list = nth.of { add(highestOf: list.selectors) }
        }
    }

    private mutating func add(highestOf selectors: [ComplexSelector]) {
        guard let highest = selectors.map(Specificity.init).max() else { return }
        ids += highest.ids
        classes += highest.classes
        types += highest.types
    }

    static func < (left: Specificity, right: Specificity) -> Bool {
        (left.ids, left.classes, left.types) < (right.ids, right.classes, right.types)
    }
}
