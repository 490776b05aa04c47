import Selectors

/// Decides whether an element is what a selector means (CSS Selectors Level 4).
struct SelectorMatch {
    /// What `:scope` is.
    let scope: Element?

    func matches(_ list: SelectorList, _ element: Element) -> Bool {
        list.selectors.contains { matches($0.parts[...], element) }
    }

    /// From the subject to the left.
    private func matches(_ parts: ArraySlice<ComplexSelector.Part>, _ element: Element) -> Bool {
        guard let last = parts.last, matches(last.compound, element) else { return false }
        let rest = parts.dropLast()
        guard !rest.isEmpty else { return true }
        switch last.combinator {
        case .child: return element.parent.map { matches(rest, $0) } ?? false
        case .descendant: return element.ancestors.contains { matches(rest, $0) }
        case .nextSibling: return element.previousSibling.map { matches(rest, $0) } ?? false
        case .subsequentSibling:
            var sibling = element.previousSibling
            while let current = sibling {
                if matches(rest, current) { return true }
                sibling = current.previousSibling
            }
            return false
        }
    }

    func matches(_ compound: CompoundSelector, _ element: Element) -> Bool {
        if let type = compound.type, element.name != type { return false }
        return compound.simple.allSatisfy { matches($0, element) }
    }

    private func matches(_ simple: SimpleSelector, _ element: Element) -> Bool {
        switch simple {
        case .id(let id): element[attribute: "id"] == id
        case .class(let name): element[attribute: "class"]?.words.contains { $0 == name } ?? false
        case .attribute(let selector): matches(selector, element)
        case .is(let list): matches(list, element)
        case .not(let list): !matches(list, element)
        case .has(let selectors): selectors.contains { has($0, element) }
        case .nth(let nth): matches(nth, element)
        case .state(let state): matches(state, element)
        case .lang(let ranges): matches(ranges, element)
        }
    }

    // MARK: Attributes (section 6)

    /// Attributes whose values HTML compares without case (HTML standard, section 4.16.2).
    private static let caseless: Set<String> = [
        "accept", "accept-charset", "align", "alink", "axis", "bgcolor", "charset", "checked", "clear", "codetype",
        "color", "compact", "declare", "defer", "dir", "direction", "disabled", "enctype", "face", "frame", "hreflang",
        "http-equiv", "lang", "language", "link", "media", "method", "multiple", "nohref", "noresize", "noshade",
        "nowrap", "readonly", "rel", "rev", "rules", "scope", "scrolling", "selected", "shape", "target", "text",
        "type", "valign", "valuetype", "vlink",
    ]

    private func matches(_ selector: AttributeSelector, _ element: Element) -> Bool {
        guard var value = element[attribute: selector.name] else { return false }
        var wanted = selector.value
        if !(selector.isCaseSensitive ?? !Self.caseless.contains(selector.name)) {
            value = value.asciiLowercased
            wanted = wanted.asciiLowercased
        }
        switch selector.op {
        case .exists: return true
        case .equals: return value == wanted
        case .includes: return !wanted.isEmpty && value.words.contains { $0 == wanted }
        case .dash: return value == wanted || value.hasPrefix(wanted + "-")
        case .prefix: return !wanted.isEmpty && value.hasPrefix(wanted)
        case .suffix: return !wanted.isEmpty && value.hasSuffix(wanted)
        case .substring: return !wanted.isEmpty && value.contains(wanted)
        }
    }

    // MARK: Relations

    /// Section 4.5: the argument is anchored at the element.
    private func has(_ selector: ComplexSelector, _ anchor: Element) -> Bool {
        let candidates: [Element]
        switch selector.parts[0].combinator {
        case .descendant: return anchor.descendants.contains { reaches($0, selector, anchor) }
        case .child: candidates = selector.parts.count == 1 ? anchor.children : Array(anchor.descendants)
        case .nextSibling, .subsequentSibling:
            var following: [Element] = []
            var sibling = anchor.nextSibling
            while let current = sibling {
                following.append(current)
                if selector.parts.count > 1 { following += Array(current.descendants) }
                sibling = current.nextSibling
            }
            candidates = following
        }
        return candidates.contains { reaches($0, selector, anchor) }
    }

    private func reaches(_ element: Element, _ selector: ComplexSelector, _ anchor: Element) -> Bool {
        reaches(selector.parts[...], element, anchor)
    }

    private func reaches(
        _ parts: ArraySlice<ComplexSelector.Part>, _ element: Element, _ anchor: Element
    ) -> Bool {
        guard let last = parts.last, matches(last.compound, element) else { return false }
        let rest = parts.dropLast()
        func related(_ other: Element) -> Bool { rest.isEmpty ? other == anchor : reaches(rest, other, anchor) }
        switch last.combinator {
        case .child: return element.parent.map(related) ?? false
        case .descendant: return element.ancestors.contains(where: related)
        case .nextSibling: return element.previousSibling.map(related) ?? false
        case .subsequentSibling:
            var sibling = element.previousSibling
            while let current = sibling {
                if related(current) { return true }
                sibling = current.previousSibling
            }
            return false
        }
    }

    private func matches(_ nth: NthSelector, _ element: Element) -> Bool {
        if let of = nth.of, !matches(of, element) { return false }
        var position = 1
        var sibling = nth.fromEnd ? element.nextSibling : element.previousSibling
        while let current = sibling {
            let counts = nth.ofType ? current.name == element.name : nth.of.map { matches($0, current) } ?? true
            if counts { position += 1 }
            sibling = nth.fromEnd ? current.nextSibling : current.previousSibling
        }
        let distance = position - nth.b
        return nth.a == 0 ? distance == 0 : distance % nth.a == 0 && distance / nth.a >= 0
    }

    /// RFC 4647, section 3.3.2, prefixes of whole subtags.
    private func matches(_ ranges: [String], _ element: Element) -> Bool {
        var holder: Element? = element
        while let current = holder, !current.has("lang") { holder = current.parent }
        guard let language = holder?[attribute: "lang"]?.lowercased(), !language.isEmpty else { return false }
        return ranges.contains { range in
            let range = range.lowercased()
            return range == "*" || language == range || language.hasPrefix(range + "-")
        }
    }

    // MARK: States

    private func matches(_ state: SimpleSelector.State, _ element: Element) -> Bool {
        switch state {
        case .root: element.parent == nil
        case .scope: element == (scope ?? element.document.root)
        case .empty: NodesBelow(element.node).allSatisfy { $0.pointee.isNothing }
        case .onlyChild: element.nextSibling == nil && element.previousSibling == nil
        case .onlyOfType: element.parent?.children.count { $0.name == element.name } ?? 1 == 1
        case .link, .anyLink: ["a", "area"].contains(element.name) && element.has("href")
        case .checked:
            switch element.name {
            case "option": element.has("selected")
            case "input":
                element.has("checked")
                    && ["checkbox", "radio"].contains(element[attribute: "type"]?.lowercased() ?? "")
            default: false
            }
        case .disabled: element.canBeDisabled && element.isDisabled
        case .enabled: element.canBeDisabled && !element.isDisabled
        case .required: element.canBeRequired && element.has("required")
        case .optional: element.canBeRequired && !element.has("required")
        case .readWrite: element.isReadWrite
        case .readOnly: !element.isReadWrite
        }
    }
}

extension Document {
    /// The elements that the selector means, in document order.
    public func select(_ list: SelectorList, in scope: Element? = nil) -> [Element] {
        guard let root else { return [] }
        let match = SelectorMatch(scope: scope)
        var found = (scope ?? root).descendants.filter { match.matches(list, $0) }
        if scope == nil, match.matches(list, root) { found.insert(root, at: 0) }
        return found
    }

    /// - Throws: `SelectorError`.
    public func select(css selector: String, in scope: Element? = nil) throws(SelectorError) -> [Element] {
        select(try SelectorList(parsing: selector), in: scope)
    }
}

extension String {
    /// Split at ASCII white space.
    var words: [Substring] { split { " \t\n\r\u{0C}".contains($0) } }

    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
