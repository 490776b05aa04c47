import CLibXML2
import Encodings

/// Text that is not in the tree yet, because it may continue.
struct PendingText {
    var run: TextRun
    var place: TreeBuilder.Place?
    /// A comment followed this node, so what follows is another text.
    fileprivate var sealed: xmlNodePtr?

    init(in source: Bytes) {
        run = TextRun(in: source)
    }
}

extension TreeBuilder {
    /// A place for a node.
    struct Place: Equatable {
        let parent: xmlNodePtr
        /// The node after the place; nil at the end.
        var next: xmlNodePtr?
    }

    /// Blink's `kMaximumHTMLParserDOMTreeDepth`: an element that would be deeper becomes a sibling of its parent.
    private static let deepest = 512

    /// The document as the parent of its root.
    private var documentNode: xmlNodePtr {
        UnsafeMutableRawPointer(tree.document).assumingMemoryBound(to: xmlNode.self)
    }

    /// "The appropriate place for inserting a node" (section 13.2.6.1).
    func place(in target: OpenElement? = nil) -> Place? {
        guard let target = target ?? open.current else { return nil }
        guard isFostering, target.namespace == .html, target.tag.isTableStructure else {
            return Place(parent: contents(of: target.node), next: nil)
        }
        let table = open.lastIndex(of: .table)
        if let template = open.lastIndex(of: .template), template > table ?? -1 {
            return Place(parent: contents(of: open[template].node), next: nil)
        }
        guard let table else { return Place(parent: open[0].node, next: nil) }
        let node = open[table].node
        if let parent = node.pointee.parent { return Place(parent: parent, next: node) }
        return Place(parent: contents(of: open[max(table - 1, 0)].node), next: nil)
    }

    /// Returns the node that takes an element's content; a template's content is not part of the page.
    func contents(of node: xmlNodePtr) -> xmlNodePtr {
        node.notes.pointee.templateContents ?? node
    }

    // MARK: Elements

    /// Inserts an HTML element that the page has left out.
    mutating func insertElement(_ tag: Tag) {
        insert(make(tag, tokenizer.names.name(of: tag), .html, hasAttributes: false))
    }

    /// Inserts the element of the last tag.
    mutating func insertElement(in namespace: Namespace = .html) {
        let tag = tokenizer.tag
        insert(make(tag.tag, tag.name, namespace, hasAttributes: true))
    }

    /// Inserts an element that has no content.
    mutating func insertVoidElement() {
        insertElement()
        open.pop()
    }

    mutating func insertRoot(hasAttributes: Bool) {
        guard let root = make(.html, tokenizer.names.name(of: .html), .html, hasAttributes: hasAttributes) else {
            return
        }
        Self.attach(root.node, at: Place(parent: documentNode, next: nil))
        open.push(root)
    }

    private mutating func insert(_ element: OpenElement?) {
        flushText()
        guard let element else { return }
        if var place = place() {
            let isFostered =
                isFostering && open.current.map { $0.namespace == .html && $0.tag.isTableStructure } ?? false
            if !isFostered, open.count > Self.deepest, let parent = place.parent.pointee.parent, parent.isElement {
                place = Place(parent: parent, next: nil)
            }
            Self.attach(element.node, at: place)
        }
        open.push(element)
        budget.check(depth: open.count)
    }

    private mutating func make(
        _ tag: Tag, _ name: InternedName, _ namespace: Namespace, hasAttributes: Bool
    ) -> OpenElement? {
        budget.addElement()
        let node = tree.element(name)
        var element = OpenElement(node: node, tag: tag, namespace: namespace, name: name)
        if hasAttributes {
            for attribute in tokenizer.tag.attributes { add(attribute, to: node, in: namespace) }
        }
        node.notes.pointee.traits = ElementTraits(of: tag, node, tokenizer.names)
        switch namespace {
        case .html:
            if tag == .template { addContents(to: node) }
            if tag.isControl, open.templates == 0 { node.notes.pointee.formOwner = form }
        case .svg: element.isHTMLIntegrationPoint = tag.bordersForeign(in: .svg)
        case .mathML where tag == .annotationXML: element.isHTMLIntegrationPoint = holdsHTML
        case .mathML: break
        }
        return element
    }

    /// True if an `annotation-xml` contains HTML.
    private var holdsHTML: Bool {
        guard let encoding = tokenizer.value(of: tokenizer.names.encoding) else { return false }
        return tokenizer.withBytes(of: encoding) { bytes in
            ["text/html", "application/xhtml+xml"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
        }
    }

    /// Adds attributes that the root or the body does not have yet.
    mutating func addMissingAttributes(to node: xmlNodePtr) {
        for attribute in tokenizer.tag.attributes where node.value(of: attribute.name) == nil {
            add(attribute, to: node)
        }
        node.notes.pointee.traits = ElementTraits(of: node.tag, node, tokenizer.names)
    }

    private mutating func add(
        _ attribute: Tokenizer.Attribute, to node: xmlNodePtr, in namespace: Namespace = .html
    ) {
        var name = attribute.name
        if namespace != .html, var adjusted = ForeignAttributes.adjusted(String(cString: name), in: namespace) {
            name = adjusted.withUTF8 { tokenizer.names.intern($0) }
        }
        let tree = tree
        let size = tokenizer.withBytes(of: attribute.value) { value in
            tree.add(name, value, to: node)
            return value.count
        }
        budget.hold(250 + size)
    }

    /// Copies an element with its attributes.
    mutating func copy(_ element: OpenElement) -> OpenElement? {
        budget.addElement()
        let node = tree.element(element.name)
        var attribute = element.node.pointee.properties
        while let current = attribute {
            let value = current.value.spelling
            tree.add(current.pointee.name, value, to: node)
            budget.hold(250 + value.count)
            attribute = current.pointee.next
        }
        node.notes.pointee.traits = element.node.notes.pointee.traits
        return OpenElement(node: node, tag: element.tag, namespace: element.namespace, name: element.name)
    }

    /// Inserts a copy of an element.
    mutating func insertCopy(of element: OpenElement) -> OpenElement? {
        guard let copy = copy(element) else { return nil }
        insert(copy)
        return copy
    }

    private mutating func addContents(to template: xmlNodePtr) {
        template.notes.pointee.templateContents = tree.element(tokenizer.names.empty)
        budget.hold(136)
    }

    // MARK: Text

    /// Adds text at the current place; adjacent texts become one.
    mutating func insertText(_ bytes: Bytes) {
        guard let place = place(), place.parent != documentNode, !bytes.isEmpty else { return }
        if text.place != place {
            flushText()
            text.place = place
        }
        text.run.append(bytes)
    }

    mutating func insertReplacement() {
        Tokenizer.replacement.withUnsafeBufferPointer { insertText($0) }
    }

    mutating func flushText() {
        guard let place = text.place else { return }
        text.place = nil
        let tree = tree
        let before = place.next.map(\.pointee.prev) ?? place.parent.pointee.last
        let continued = before.flatMap { $0.pointee.type == XML_TEXT_NODE && $0 != text.sealed ? $0 : nil }
        let taken = text.run.withBytes { bytes in
            if let continued { return tree.append(bytes, to: continued) }
            Self.attach(tree.text(bytes), at: place)
            return bytes.count
        }
        budget.hold(136 + taken)
        text.run.removeAll()
    }

    /// Discards a comment, which still separates the texts on both sides.
    mutating func comment() {
        flushText()
        guard mode != .afterBody, mode != .afterAfterBody, let current = open.current else { return }
        text.sealed = contents(of: current.node).pointee.last
    }

    // MARK: Links between nodes

    /// Links a node into the tree. `xmlAddChild` would merge adjacent texts, and walk them to do so.
    static func attach(_ node: xmlNodePtr, at place: Place) {
        node.pointee.parent = place.parent
        if let next = place.next {
            let previous = next.pointee.prev
            node.pointee.next = next
            node.pointee.prev = previous
            next.pointee.prev = node
            if let previous { previous.pointee.next = node } else { place.parent.pointee.children = node }
        } else {
            if let last = place.parent.pointee.last {
                last.pointee.next = node
                node.pointee.prev = last
            } else {
                place.parent.pointee.children = node
            }
            place.parent.pointee.last = node
        }
    }

    func move(_ node: xmlNodePtr, to place: Place?) {
        guard var place, !Self.holds(node, place.parent) else { return }
        if place.next == node { place.next = node.pointee.next }
        xmlUnlinkNode(node)
        Self.attach(node, at: place)
    }

    /// Returns whether a node contains another. A node is never moved into itself.
    private static func holds(_ node: xmlNodePtr, _ inner: xmlNodePtr) -> Bool {
        var here: xmlNodePtr? = inner
        while let current = here, current.pointee.type == XML_ELEMENT_NODE {
            if current == node { return true }
            here = current.pointee.parent
        }
        return false
    }

    mutating func moveChildren(of node: xmlNodePtr, to parent: xmlNodePtr) {
        while let child = node.pointee.children {
            xmlUnlinkNode(child)
            Self.attach(child, at: Place(parent: parent, next: nil))
        }
    }
}
