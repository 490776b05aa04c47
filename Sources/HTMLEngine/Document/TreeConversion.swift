import CGumbo
import CLibXML2
import Foundation

/// Holds Gumbo's tree in libxml2, as Nokogiri does.
///
/// libxml2 2.9's own HTML parser does not build the browser's tree (no implied `tbody`, nothing below depth 255).
struct TreeConversion {
    /// A page's tree, which the caller frees, and what only its source tells.
    struct Tree {
        let document: xmlDocPtr
        /// The form that the parser gave a control to.
        let formOwners: [xmlNodePtr: xmlNodePtr]
    }

    private struct Level {
        var children: GumboVector
        var index: UInt32
        /// Where texts go.
        var element: xmlNodePtr
        /// Where elements go.
        var container: xmlNodePtr
    }

    private static let isInitialised: Bool = {
        xmlInitParser()
        return true
    }()

    /// Blink's `kMaximumHTMLParserDOMTreeDepth`: an element that would stand deeper stands beside its parent.
    private static let deepest = 512

    private let document: xmlDocPtr
    private let limits: DocumentLimits
    private var source: FormSource
    private var levels: [Level] = []
    private var elements = 0

    static func tree(from utf8: [UInt8], limits: DocumentLimits) throws(DocumentError) -> Tree {
        precondition(isInitialised)
        return try GumboTree.parse(utf8, limits) { root, text throws(DocumentError) in
            guard let document = xmlNewDoc("1.0"), let names = xmlDictCreate() else {
                throw DocumentError(code: .unparsable, message: "there is not enough memory for the page")
            }
            document.pointee.dict = names
            var conversion = TreeConversion(document, limits, text)
            do throws(DocumentError) {
                try conversion.convert(root)
            } catch {
                xmlFreeDoc(document)
                throw error
            }
            return Tree(document: document, formOwners: conversion.source.owners)
        }
    }

    private init(_ document: xmlDocPtr, _ limits: DocumentLimits, _ text: UnsafeBufferPointer<CChar>) {
        self.document = document
        self.limits = limits
        source = FormSource(text)
    }

    private mutating func convert(_ root: UnsafeMutablePointer<GumboNode>) throws(DocumentError) {
        let top = UnsafeMutableRawPointer(document).assumingMemoryBound(to: xmlNode.self)
        levels.append(Level(children: root.pointee.v.document.children, index: 0, element: top, container: top))
        while let level = levels.last {
            guard level.index < level.children.length else {
                levels.removeLast()
                continue
            }
            levels[levels.count - 1].index += 1
            let node = level.children.data[Int(level.index)]!.assumingMemoryBound(to: GumboNode.self)
            switch node.pointee.type {
            case GUMBO_NODE_ELEMENT, GUMBO_NODE_TEMPLATE: try convert(element: node, in: level)
            case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
                if levels.count > 1 { convert(text: node, in: level.element) }
            default: source.note(opaque: node.pointee.v.text.original_text)
            }
        }
    }

    private mutating func convert(
        element node: UnsafeMutablePointer<GumboNode>, in level: Level
    ) throws(DocumentError) {
        elements += 1
        guard elements <= limits.elements else {
            throw DocumentError(
                code: .tooManyElements,
                message: "the page has more elements than the element limit of \(limits.elements)")
        }
        guard let made = makeElement(node) else { return }
        Self.attach(made, to: level.container)
        source.note(node, as: made)
        guard node.pointee.type == GUMBO_NODE_ELEMENT else {
            // A template's content is not in the document (HTML Standard, section 4.12.3).
            source.note(opaque: node.pointee.v.element.wholeSource)
            return
        }
        levels.append(
            Level(
                children: node.pointee.v.element.children, index: 0, element: made,
                container: levels.count <= Self.deepest ? made : level.container))
    }

    private mutating func convert(text node: UnsafeMutablePointer<GumboNode>, in parent: xmlNodePtr) {
        guard let text = node.pointee.v.text.text else { return }
        let made = text.withMemoryRebound(to: xmlChar.self, capacity: 1) { xmlNewDocText(document, $0) }
        if let made { Self.attach(made, to: parent) }
        if node.pointee.parent.pointee.v.element.holdsRawText || node.pointee.type == GUMBO_NODE_CDATA {
            source.note(opaque: node.pointee.v.text.original_text)
        }
    }

    /// Links the node as the last child; `xmlAddChild` would merge neighbouring texts and walk them to do so.
    private static func attach(_ node: xmlNodePtr, to parent: xmlNodePtr) {
        node.pointee.parent = parent
        if let last = parent.pointee.last {
            last.pointee.next = node
            node.pointee.prev = last
        } else {
            parent.pointee.children = node
        }
        parent.pointee.last = node
    }

    // MARK: Elements

    private func makeElement(_ node: UnsafeMutablePointer<GumboNode>) -> xmlNodePtr? {
        guard let name = name(of: node.pointee.v.element) else { return nil }
        // Names are the dictionary's own, so that two are the same where their addresses are.
        guard let made = xmlNewDocNodeEatName(document, nil, UnsafeMutablePointer(mutating: name), nil) else {
            return nil
        }
        let attributes = node.pointee.v.element.attributes
        for index in 0..<Int(attributes.length) {
            let attribute = attributes.data[index]!.assumingMemoryBound(to: GumboAttribute.self)
            guard let name = interned(attribute.pointee.name, -1) else { continue }
            attribute.pointee.value.withMemoryRebound(to: xmlChar.self, capacity: 1) { value in
                _ = xmlNewNsPropEatName(made, nil, UnsafeMutablePointer(mutating: name), value)
            }
        }
        return made
    }

    private func name(of element: GumboElement) -> UnsafePointer<xmlChar>? {
        guard element.tag == GUMBO_TAG_UNKNOWN else { return interned(gumbo_normalized_tagname(element.tag), -1) }
        var piece = element.original_tag
        gumbo_tag_from_original_text(&piece)
        guard piece.length > 0, let start = piece.data else { return interned("unknown", -1) }
        let bytes = UnsafeRawBufferPointer(start: start, count: piece.length)
        let lowered = String(decoding: bytes, as: UTF8.self).lowercased()
        return interned(lowered, -1)
    }

    private func interned(_ name: UnsafePointer<CChar>, _ length: Int32) -> UnsafePointer<xmlChar>? {
        name.withMemoryRebound(to: xmlChar.self, capacity: 1) { xmlDictLookup(document.pointee.dict, $0, length) }
    }
}

extension GumboElement {
    /// From its start tag to the end of its end tag.
    fileprivate var wholeSource: GumboStringPiece {
        let end = end_pos.offset + UInt32(original_end_tag.length)
        return GumboStringPiece(data: original_tag.data, length: Int(end - min(end, start_pos.offset)))
    }

    /// What stands inside is text to the parser, tags too.
    fileprivate var holdsRawText: Bool {
        switch tag {
        case GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_TEXTAREA, GUMBO_TAG_TITLE, GUMBO_TAG_XMP, GUMBO_TAG_IFRAME,
            GUMBO_TAG_NOEMBED, GUMBO_TAG_NOFRAMES, GUMBO_TAG_PLAINTEXT:
            true
        default: false
        }
    }
}
