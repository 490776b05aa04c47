import CGumbo
import CLibXML2
import Foundation

/// Parses with Gumbo and holds the tree in libxml2, as Nokogiri does.
///
/// libxml2 2.9's own HTML parser does not build the browser's tree (no implied `tbody`, nothing below depth 255).
enum TreeConversion {
    private static let isInitialised: Bool = {
        xmlInitParser()
        return true
    }()

    /// - Returns: a libxml2 document that the caller frees, without recursion at any depth.
    static func document(from utf8: [UInt8]) throws(DocumentError) -> xmlDocPtr {
        precondition(isInitialised)
        guard let document = xmlNewDoc("1.0") else { throw DocumentError(code: .unparsable, message: "no memory") }
        var options = kGumboDefaultOptions
        options.max_errors = 0
        // An empty buffer has no address to give.
        let isParsed = (utf8.isEmpty ? [0x0A] : utf8).withUnsafeBufferPointer { buffer -> Bool in
            buffer.withMemoryRebound(to: CChar.self) { text in
                guard let output = gumbo_parse_with_options(&options, text.baseAddress, text.count) else {
                    return false
                }
                convert(output.pointee.document, into: document)
                gumbo_destroy_output(&options, output)
                return true
            }
        }
        guard isParsed else {
            xmlFreeDoc(document)
            throw DocumentError(code: .unparsable, message: "the page cannot be parsed")
        }
        return document
    }

    private static func convert(_ root: UnsafeMutablePointer<GumboNode>, into document: xmlDocPtr) {
        var work: [(children: GumboVector, index: UInt32, parent: xmlNodePtr)] = []
        let documentNode = UnsafeMutableRawPointer(document).assumingMemoryBound(to: xmlNode.self)
        work.append((root.pointee.v.document.children, 0, documentNode))
        while let top = work.last {
            guard top.index < top.children.length else {
                work.removeLast()
                continue
            }
            work[work.count - 1].index += 1
            let node = top.children.data[Int(top.index)]!.assumingMemoryBound(to: GumboNode.self)
            switch node.pointee.type {
            case GUMBO_NODE_ELEMENT, GUMBO_NODE_TEMPLATE:
                guard let element = makeElement(node, in: document) else { continue }
                attach(element, to: top.parent, documentNode)
                work.append((node.pointee.v.element.children, 0, element))
            case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
                guard top.parent != documentNode, let text = node.pointee.v.text.text else { continue }
                let length = Int32(strlen(text))
                let made = text.withMemoryRebound(to: xmlChar.self, capacity: Int(length) + 1) {
                    xmlNewDocTextLen(document, $0, length)
                }
                if let made { attach(made, to: top.parent, documentNode) }
            default: continue
            }
        }
    }

    /// Links the node as the last child; `xmlAddChild` would merge neighbouring texts and walk them to do so.
    private static func attach(_ node: xmlNodePtr, to parent: xmlNodePtr, _ documentNode: xmlNodePtr) {
        node.pointee.parent = parent
        if let last = parent.pointee.last {
            last.pointee.next = node
            node.pointee.prev = last
        } else {
            parent.pointee.children = node
        }
        parent.pointee.last = node
    }

    private static func makeElement(_ node: UnsafeMutablePointer<GumboNode>, in document: xmlDocPtr) -> xmlNodePtr? {
        let element = node.pointee.v.element
        let made: xmlNodePtr?
        if element.tag == GUMBO_TAG_UNKNOWN {
            var piece = element.original_tag
            gumbo_tag_from_original_text(&piece)
            let bytes = UnsafeBufferPointer(start: piece.data, count: piece.length).map {
                UInt8(bitPattern: $0)
            }
            let name = String(decoding: bytes, as: UTF8.self).lowercased()
            made = xmlNewDocNode(document, nil, name.isEmpty ? "unknown" : name, nil)
        } else {
            made = gumbo_normalized_tagname(element.tag).withMemoryRebound(to: xmlChar.self, capacity: 1) {
                xmlNewDocNode(document, nil, $0, nil)
            }
        }
        guard let made else { return nil }
        for index in 0..<Int(element.attributes.length) {
            let attribute = element.attributes.data[index]!.assumingMemoryBound(to: GumboAttribute.self).pointee
            attribute.name.withMemoryRebound(to: xmlChar.self, capacity: 1) { name in
                attribute.value.withMemoryRebound(to: xmlChar.self, capacity: 1) { value in
                    _ = xmlNewProp(made, name, value)
                }
            }
        }
        return made
    }
}
