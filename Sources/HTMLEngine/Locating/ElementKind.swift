/// The kinds of things that a person tells apart on a page.
enum ElementKind {
    case field, button, link, row, heading
}

extension Element {
    func isA(_ kind: ElementKind) -> Bool {
        let name = name
        switch kind {
        case .field:
            let type = ControlType(of: self)
            return type != .none && type != .hidden && !type.isButton
        case .button:
            if name == "button" { return true }
            if name == "input" { return controlType.isButton }
            return role == "button"
        case .link: return (name == "a" || name == "area") && has("href") && role != "button" || role == "link"
        case .row: return name == "tr" || name == "li" || role == "row" || role == "listitem"
        case .heading:
            switch name {
            case "h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption": return true
            default: return role == "heading"
            }
        }
    }

    private var role: String? { self[attribute: "role"]?.lowercased() }

    /// The element in a few words, for a person to tell it from others.
    var glimpse: String {
        let words = isA(.row) ? text : names.first ?? ""
        let quoted = words.isEmpty ? "" : " “\(words.count > 60 ? words.prefix(59) + "…" : words[...])”"
        let marks = ["id", "name", "type"].compactMap { mark in
            self[attribute: mark].map { "\(mark)=\($0.foldingSpace.prefix(30))" }
        }
        return "<\(name)\(marks.isEmpty ? "" : " " + marks.joined(separator: " "))>\(quoted)"
    }
}

extension ElementKind {
    /// What such an element is called, unless its `role` says what it is.
    fileprivate var names: [String] {
        switch self {
        case .field: ["input", "select", "textarea"]
        case .button: ["button", "input"]
        case .link: ["a", "area"]
        case .row: ["tr", "li"]
        case .heading: ["h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption"]
        }
    }
}

extension Document {
    /// The visible things of these kinds, in document order.
    func all(_ kinds: ElementKind..., in scope: Element?) -> [Element] {
        guard let top = scope ?? root else { return [] }
        var names: [InternedName] = []
        names.reserveCapacity(8)
        for kind in kinds { for name in kind.names { interned(name).map { names.append($0) } } }
        let role = interned("role")
        var found: [Element] = []
        found.reserveCapacity(16)
        for node in ElementsBelow(top.node) {
            guard let name = node.pointee.name, names.contains(name) || node.value(of: role) != nil else { continue }
            let element = Element(node, in: self)
            if kinds.contains(where: element.isA), !element.isHidden { found.append(element) }
        }
        return found
    }
}

extension [Element] {
    /// Without those that hold another one of them.
    var innermost: [Element] {
        let all = Set(self)
        let outer = Set(flatMap { element in element.ancestors.filter { all.contains($0) } })
        return filter { !outer.contains($0) }
    }
}
