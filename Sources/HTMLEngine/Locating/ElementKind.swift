import DOM
import TextMatching

/// The kinds of things that a person tells apart on a page.
enum ElementKind {
    case field, button, link, row, heading
}

extension Element {
    func isA(_ kind: ElementKind) -> Bool {
        switch kind {
        case .field:
            let type = controlType
            return type != .none && type != .hidden && !type.isButton
        case .button:
            switch tag {
            case .button: return true
            case .input: return controlType.isButton
            default: return role == "button"
            }
        case .link: return kind.isMade(by: tag) && has("href") && role != "button" || role == "link"
        case .row: return kind.isMade(by: tag) || role == "row" || role == "listitem"
        case .heading: return kind.isMade(by: tag) || role == "heading"
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
    /// Whether an element with the tag may be of the kind when no `role` says so.
    fileprivate func isMade(by tag: Tag) -> Bool {
        switch (self, tag) {
        case (.field, .input), (.field, .select), (.field, .textarea), (.button, .button), (.button, .input): true
        case (.link, .a), (.link, .area), (.row, .tr), (.row, .li), (.heading, .legend), (.heading, .caption): true
        case (.heading, _): tag.isHeading
        default: false
        }
    }
}

extension Document {
    /// The visible things of these kinds, in document order.
    func all(_ kinds: ElementKind..., in scope: Element?) -> [Element] {
        guard let top = scope ?? root else { return [] }
        let candidates = top.descendants(withRoleOrTag: { tag in kinds.contains { $0.isMade(by: tag) } })
        return candidates.filter { element in kinds.contains(where: element.isA) && !element.isHidden }
    }
}

extension Document {
    /// The rows of tables and lists that a person sees, but for rows of headers alone.
    package var rows: [Element] {
        all(.row, in: nil).filter { $0.tag != .tr || $0.children.contains { $0.tag == .td } }
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
