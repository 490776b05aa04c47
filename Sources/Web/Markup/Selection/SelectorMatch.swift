import CLibXML2
import Encodings
import Selectors

/// Decides whether elements match a selector list (CSS Selectors Level 4). An instance serves one selection on one
/// thread.
final class SelectorMatch {
    private let document: Document
    /// The element that `:scope` matches.
    private let scope: xmlNodePtr?
    private let selectors: [CompiledSelector]
    private let id: InternedName?
    private let `class`: InternedName?
    private let language: InternedName?
    private let siblings: [SiblingCounts]
    var relatives: [RelativeMatches]

    /// The limit on the elements that one selection visits. It stops selectors that compare each of 400,000 elements
    /// with each other.
    private static let most = 20_000_000
    private var steps = 0
    var isExhausted: Bool { steps > Self.most }

    init(_ list: SelectorList, in document: Document, scope: Element?) {
        self.document = document
        self.scope = scope?.node ?? document.root?.node
        var compiler = SelectorCompiler(document)
        selectors = compiler.compile(list)
        siblings = (0..<compiler.slots).map { _ in SiblingCounts() }
        relatives = Array(repeating: RelativeMatches(), count: compiler.relativeSlots)
        id = document.interned("id")
        `class` = document.interned("class")
        language = document.interned("lang")
    }

    /// Returns false for every element once the match ``isExhausted``.
    func matches(_ node: xmlNodePtr) -> Bool { matches(selectors, node) }

    /// The name that all matches share; nil when they may have several.
    var subjectName: InternedName? {
        guard selectors.count == 1, case .named(let name) = selectors[0].parts.last?.compound.type else { return nil }
        return name
    }

    private func matches(_ list: [CompiledSelector], _ node: xmlNodePtr) -> Bool {
        for selector in list where outcome(selector.parts, selector.parts.count, node, anchor: nil) == .matches {
            return true
        }
        return false
    }

    /// The result of a comparison. A failure rules out other ways to match too: without that, `a b c d` tries each way
    /// up through the tree.
    enum Outcome {
        case matches
        case fails
        /// The earlier siblings fail too.
        case failsForSiblings
        /// The ancestors fail too.
        case failsForAncestors
    }

    /// Matches the first `count` parts, from the subject to the left. With an anchor they end at it (section 4.5,
    /// `:has()`).
    func outcome(
        _ parts: [CompiledSelector.Part], _ count: Int, _ node: xmlNodePtr, anchor: xmlNodePtr?
    ) -> Outcome {
        guard matches(parts[count - 1].compound, node) else { return .fails }
        if count == 1, anchor == nil { return .matches }
        func related(_ other: xmlNodePtr) -> Outcome {
            guard count == 1 else { return outcome(parts, count - 1, other, anchor: anchor) }
            return other == anchor ? .matches : .fails
        }
        switch parts[count - 1].combinator {
        case .child:
            guard let parent = node.parentElement else { return .failsForAncestors }
            let outcome = related(parent)
            return outcome == .matches || outcome == .failsForAncestors ? outcome : .failsForSiblings
        case .nextSibling:
            guard let previous = node.previousElement else { return .failsForSiblings }
            return related(previous)
        case .descendant:
            var other = node.parentElement
            while let current = other, countStep() {
                let outcome = related(current)
                if outcome == .matches || outcome == .failsForAncestors { return outcome }
                other = current.parentElement
            }
            return .failsForAncestors
        case .subsequentSibling:
            var other = node.previousElement
            while let current = other, countStep() {
                let outcome = related(current)
                if outcome != .fails { return outcome }
                other = current.previousElement
            }
            return .failsForSiblings
        }
    }

    func any(
        from node: xmlNodePtr, _ step: (xmlNodePtr) -> xmlNodePtr?, _ fits: (xmlNodePtr) -> Bool
    ) -> Bool {
        var other = step(node)
        while let current = other, countStep() {
            if fits(current) { return true }
            other = step(current)
        }
        return false
    }

    /// Counts a step. Returns false when there were too many.
    func countStep() -> Bool {
        steps += 1
        return !isExhausted
    }

    func matches(_ compound: CompiledSelector.Compound, _ node: xmlNodePtr) -> Bool {
        guard countStep() else { return false }
        switch compound.type {
        case .any: break
        case .named(let name): guard node.pointee.name == name else { return false }
        case .never: return false
        }
        for test in compound.tests where !matches(test, node) { return false }
        return true
    }

    private func matches(_ test: CompiledSelector.Test, _ node: xmlNodePtr) -> Bool {
        switch test {
        case .id(let wanted): node.value(of: id).map(wanted.equals) ?? false
        case .class(let name): node.value(of: `class`).map(name.isWord) ?? false
        case .attribute(let attribute): node.value(of: attribute.name).map(attribute.matches) ?? false
        case .is(let list): matches(list, node)
        case .not(let list): !matches(list, node)
        case .has(let selectors): selectors.contains { has($0, node) }
        case .nth(let nth): matches(nth, node)
        case .state(let state): matches(state, node)
        case .lang(let ranges): matches(ranges, node)
        }
    }

    private func matches(_ nth: CompiledSelector.Nth, _ node: xmlNodePtr) -> Bool {
        if let of = nth.of, !matches(of, node) { return false }
        let name = nth.ofType ? node.pointee.name : nil
        func counts(_ other: xmlNodePtr) -> Bool {
            guard countStep() else { return false }
            if let name { return other.pointee.name == name }
            return nth.of.map { matches($0, other) } ?? true
        }
        if nth.a == 0, nth.b == 1 {
            return nth.fromEnd
                ? !any(from: node, \.nextElement, counts) : !any(from: node, \.previousElement, counts)
        }
        var position = siblings[nth.slot].position(of: node, named: name, counts)
        if nth.fromEnd { position = siblings[nth.slot].total(around: node, named: name, counts) - position + 1 }
        let distance = position - nth.b
        return nth.a == 0 ? distance == 0 : distance % nth.a == 0 && distance / nth.a >= 0
    }

    /// Matches `:lang()` by extended filtering (RFC 4647, section 3.3.2), limited to prefixes of whole subtags.
    private func matches(_ ranges: [String], _ node: xmlNodePtr) -> Bool {
        var holder: xmlNodePtr? = node
        while let current = holder, current.value(of: language) == nil { holder = current.parentElement }
        guard let value = holder?.value(of: language) else { return false }
        let language = String(cString: value).lowercased()
        guard !language.isEmpty else { return false }
        return ranges.contains { range in
            let range = range.lowercased()
            return range == "*" || language == range || language.hasPrefix(range + "-")
        }
    }

    private func matches(_ state: SimpleSelector.State, _ node: xmlNodePtr) -> Bool {
        let element = Element(node, in: document)
        func isOfType(_ other: xmlNodePtr) -> Bool { other.pointee.name == node.pointee.name }
        switch state {
        case .root: return node.parentElement == nil
        case .scope: return node == scope
        case .empty: return NodesBelow(node).allSatisfy { $0.pointee.isNothing }
        case .onlyChild: return node.nextElement == nil && node.previousElement == nil
        case .onlyOfType:
            return !any(from: node, \.nextElement, isOfType) && !any(from: node, \.previousElement, isOfType)
        case .link, .anyLink: return (element.name == "a" || element.name == "area") && element.has("href")
        case .checked: return element.isCheckedByPage
        case .disabled: return element.canBeDisabled && element.isDisabled
        case .enabled: return element.canBeDisabled && !element.isDisabled
        case .required: return element.canBeRequired && element.has("required")
        case .optional: return element.canBeRequired && !element.has("required")
        case .readWrite: return element.isReadWrite
        case .readOnly: return !element.isReadWrite
        }
    }
}

extension CompiledSelector.Attribute {
    /// Compares an attribute's value (section 6).
    fileprivate func matches(_ text: UnsafePointer<xmlChar>) -> Bool {
        guard isCaseSensitive || op == .exists else {
            return String(cString: text).asciiLowercased.withCString { lowered in
                lowered.withMemoryRebound(to: xmlChar.self, capacity: 1, compare)
            }
        }
        return compare(text)
    }

    private func compare(_ text: UnsafePointer<xmlChar>) -> Bool {
        switch op {
        case .exists: true
        case .equals: value.equals(text)
        case .includes: !value.isEmpty && value.isWord(of: text)
        case .dash: value.begins(text) && (text[value.count] == 0 || text[value.count] == UInt8(ascii: "-"))
        case .prefix: !value.isEmpty && value.begins(text)
        case .suffix: !value.isEmpty && value.ends(text)
        case .substring: !value.isEmpty && value.isContained(in: text)
        }
    }
}
