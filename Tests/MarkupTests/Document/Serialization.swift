import CLibXML2

@testable import Markup

/// "Serializing HTML fragments" (HTML Standard, section 13.3), without recursion.
enum Serialization {
    private static let void: Set = [
        "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "wbr",
    ]
    private static let raw: Set = ["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"]

    static func html(_ element: Element) -> String {
        var result = ""
        var node: xmlNodePtr? = element.node
        while let current = node {
            if current.pointee.type == XML_TEXT_NODE {
                result += text(current, in: element.document)
            } else {
                result += startTag(Element(current, in: element.document))
                if let child = current.pointee.children {
                    node = child
                    continue
                }
            }
            var last = current
            result += endTag(last, in: element.document)
            while last != element.node, last.pointee.next == nil, let parent = last.pointee.parent {
                last = parent
                result += endTag(last, in: element.document)
            }
            node = last == element.node ? nil : last.pointee.next
        }
        return result
    }

    private static func startTag(_ element: Element) -> String {
        let attributes = element.attributes.map { name, value in
            let value = value.replacing("&", with: "&amp;").replacing("\u{A0}", with: "&nbsp;")
            return " \(name)=\"\(value.replacing("\"", with: "&quot;"))\""
        }
        return "<\(element.name)\(attributes.joined())>"
    }

    private static func endTag(_ node: xmlNodePtr, in document: Document) -> String {
        guard node.isElement else { return "" }
        let name = Element(node, in: document).name
        return void.contains(name) ? "" : "</\(name)>"
    }

    private static func text(_ node: xmlNodePtr, in document: Document) -> String {
        let text = node.pointee.content.map { String(cString: $0) } ?? ""
        if let parent = node.parentElement, raw.contains(Element(parent, in: document).name) { return text }
        return text.replacing("&", with: "&amp;").replacing("\u{A0}", with: "&nbsp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}
