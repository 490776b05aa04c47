import CLibXML2
import TextMatching

extension Element {
    /// The name that a person, or a screen reader, knows it by (after Accessible Name and Description Computation 1.2,
    /// as far as a static page allows).
    public var accessibleName: String { names.first ?? "" }

    /// Every name that it may be asked for by, the accessible name first: a field with a label and a placeholder goes
    /// by both.
    var names: [String] {
        var names: [String] = []
        names.reserveCapacity(2)
        if let references = self[attribute: "aria-labelledby"] {
            let parts = references.words.compactMap { document.element(withID: String($0))?.spokenText(without: nil) }
            names.add(parts.joined(separator: " "))
        }
        names.add(self[attribute: "aria-label"])
        switch tag {
        case .input, .select, .textarea, .button, .meter, .output, .progress:
            for label in labels { names.add(label.spokenText(without: self)) }
            for name in nativeNames { names.add(name) }
        case .fieldset: names.add(children.first { $0.tag == .legend }?.text)
        case .table: names.add(children.first { $0.tag == .caption }?.text)
        case .img, .area: names.add(self[attribute: "alt"])
        case .iframe, .frame: names.add(self[attribute: "name"])
        default: names.add(spokenText(without: nil))
        }
        names.add(self[attribute: "title"])
        if tag == .input || tag == .textarea {
            names.add(self[attribute: "placeholder"])
            names.add(self[attribute: "aria-placeholder"])
        }
        return names
    }

    /// What a control shows on itself.
    private var nativeNames: [String?] {
        switch controlType {
        case _ where tag == .button: [spokenText(without: nil)]
        case .submit: [self[attribute: "value"] ?? "Submit"]
        case .reset: [self[attribute: "value"] ?? "Reset"]
        case .button: [self[attribute: "value"]]
        case .image: [self[attribute: "alt"], self[attribute: "value"], has("alt") || has("value") ? nil : "Submit"]
        default: []
        }
    }

    /// The text with pictures by their alternatives, and without the controls that a label wraps: a list's options are
    /// no part of its name.
    private func spokenText(without control: Element?) -> String {
        var result = SpaceFolding(room: 64)
        var hidden: xmlNodePtr?
        for node in NodesBelow(node) {
            if let skipped = hidden {
                if node.isInside(skipped) { continue }
                hidden = nil
                result.addSpace()
            }
            if node.pointee.type == XML_TEXT_NODE {
                if let content = node.pointee.content { result.add(UnsafePointer(content).spelling) }
                continue
            }
            guard node.isElement else { continue }
            let reading = node.reading
            switch node.tag {
            // A drawing's own title is never shown, and is its name all the same.
            case _ where reading == .unseen || node == control?.node: hidden = node
            case .select, .textarea, .input: hidden = node
            case _ where node.value(named: "aria-label") != nil:
                add(node.value(named: "aria-label"), to: &result)
                hidden = node
            case .img: add(node.value(named: "alt"), to: &result)
            default: if reading == .block { result.addSpace() }
            }
        }
        return String(result)
    }

    private func add(_ name: UnsafePointer<xmlChar>?, to result: inout SpaceFolding) {
        result.addSpace()
        if let name { result.add(name.spelling) }
        result.addSpace()
    }
}

extension [String] {
    /// Adds another name, white space folded, if it is one.
    fileprivate mutating func add(_ name: String?) {
        guard let name = name?.foldingSpace, !name.isEmpty, !contains(name) else { return }
        append(name)
    }
}

extension xmlNodePtr {
    fileprivate func isInside(_ other: xmlNodePtr) -> Bool {
        var node = pointee.parent
        while let current = node {
            if current == other { return true }
            node = current.pointee.parent
        }
        return false
    }
}
