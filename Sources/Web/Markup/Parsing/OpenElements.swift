import CLibXML2

/// An element on the stack of open elements.
struct OpenElement {
    let node: xmlNodePtr
    let tag: Tag
    let namespace: Namespace
    let name: InternedName
    /// True if it is an HTML integration point: its content is HTML again (HTML Standard, section 13.2.6).
    var isHTMLIntegrationPoint = false

    /// True if text in it is SVG's or MathML's, not HTML's (HTML Standard, section 13.2.6).
    var isForeign: Bool { namespace != .html && !isHTMLIntegrationPoint && !isMathMLTextIntegrationPoint }

    func isHTML(_ tag: Tag) -> Bool { self.tag == tag && namespace == .html }

    var isSpecial: Bool {
        namespace == .html ? tag.isSpecialInHTML : tag.bordersForeign(in: namespace)
    }

    var bordersScope: Bool {
        namespace == .html ? tag.bordersScopeInHTML : tag.bordersForeign(in: namespace)
    }

    var isMathMLTextIntegrationPoint: Bool {
        guard namespace == .mathML else { return false }
        switch tag {
        case .mi, .mo, .mn, .ms, .mtext: return true
        default: return false
        }
    }
}

/// The stack of open elements (HTML Standard, section 13.2.4.2): the root first, the current node last.
struct OpenElements {
    private(set) var elements: [OpenElement] = []
    /// The number of templates on the stack.
    private(set) var templates = 0
    /// The number of paragraphs on the stack. Nearly every tag asks for one.
    private var paragraphs = 0

    var count: Int { elements.count }
    var current: OpenElement? { elements.last }

    subscript(index: Int) -> OpenElement { elements[index] }

    mutating func push(_ element: OpenElement) {
        note(element, 1)
        elements.append(element)
    }

    mutating func pop() { remove(at: elements.count - 1) }

    mutating func remove(at index: Int) {
        guard elements.indices.contains(index) else { return }
        note(elements.remove(at: index), -1)
    }

    mutating func insert(_ element: OpenElement, at index: Int) {
        note(element, 1)
        elements.insert(element, at: index)
    }

    mutating func replace(at index: Int, with element: OpenElement) {
        note(elements[index], -1)
        note(element, 1)
        elements[index] = element
    }

    private mutating func note(_ element: OpenElement, _ change: Int) {
        guard element.namespace == .html else { return }
        if element.tag == .p { paragraphs += change }
        if element.tag == .template { templates += change }
    }

    mutating func removeAll(from index: Int) {
        while elements.count > index { pop() }
    }

    func index(of node: xmlNodePtr) -> Int? { elements.lastIndex { $0.node == node } }

    /// Returns the index of the last element with a tag.
    func lastIndex(of tag: Tag) -> Int? { elements.lastIndex { $0.isHTML(tag) } }

    func isCurrent(_ tag: Tag) -> Bool { elements.last?.isHTML(tag) ?? false }

    // MARK: Scopes

    /// Returns the index of the last element that fits, unless an element that ends the scope comes first.
    @inline(__always)
    private func index(where fits: (OpenElement) -> Bool, upTo ends: (OpenElement) -> Bool) -> Int? {
        var index = elements.count - 1
        while index >= 0 {
            if fits(elements[index]) { return index }
            if ends(elements[index]) { return nil }
            index -= 1
        }
        return nil
    }

    func indexInScope(_ tag: Tag) -> Int? { index(where: { $0.isHTML(tag) }, upTo: \.bordersScope) }

    func isInScope(_ tag: Tag) -> Bool { indexInScope(tag) != nil }

    func isInScope(_ node: xmlNodePtr) -> Bool { index(where: { $0.node == node }, upTo: \.bordersScope) != nil }

    var hasHeadingInScope: Bool {
        index(where: { $0.namespace == .html && $0.tag.isHeading }, upTo: \.bordersScope) != nil
    }

    var hasParagraphInButtonScope: Bool {
        paragraphs > 0 && index(where: { $0.isHTML(.p) }, upTo: { $0.bordersScope || $0.isHTML(.button) }) != nil
    }

    func isInListScope(_ tag: Tag) -> Bool {
        index(where: { $0.isHTML(tag) }, upTo: { $0.bordersScope || $0.isHTML(.ol) || $0.isHTML(.ul) }) != nil
    }

    func isInTableScope(_ tag: Tag) -> Bool {
        index(
            where: { $0.isHTML(tag) }, upTo: { $0.isHTML(.table) || $0.isHTML(.template) || $0.isHTML(.html) }) != nil
    }

    // MARK: Going back

    /// Pops elements up to and including one with a tag.
    mutating func pop(through tag: Tag) {
        while let last = current {
            pop()
            if last.isHTML(tag) { return }
        }
    }

    mutating func popThroughHeading() {
        while let last = current {
            pop()
            if last.namespace == .html, last.tag.isHeading { return }
        }
    }

    /// Pops elements until the current node has one of the tags; the root stays.
    mutating func clear(backTo tags: Tag...) {
        while let last = current, elements.count > 1 {
            if last.namespace == .html, tags.contains(last.tag) || last.tag == .template || last.tag == .html { return }
            pop()
        }
    }

    /// "Generate implied end tags" (section 13.2.6.3).
    mutating func generateImpliedEndTags(except kept: Tag? = nil) {
        while let last = current, last.namespace == .html, last.tag.hasImpliedEnd, last.tag != kept { pop() }
    }

    mutating func generateImpliedEndTagsThoroughly() {
        while let last = current, last.namespace == .html, last.tag.hasImpliedEndThoroughly { pop() }
    }
}
