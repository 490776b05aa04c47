import Encodings
import Markup

/// The kinds of elements that a person distinguishes on a page.
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

    /// A short description that distinguishes the element from others.
    var glimpse: String {
        let words = isA(.row) ? text : namesAsSeen.first ?? ""
        let quoted = words.isEmpty ? "" : " “\(words.count > 60 ? words.prefix(59) + "…" : words[...])”"
        let marks = ["id", "name", "type"].compactMap { mark in
            self[attribute: mark].map { "\(mark)=\($0.foldingSpace.prefix(30))" }
        }
        return "<\(name)\(marks.isEmpty ? "" : " " + marks.joined(separator: " "))>\(quoted)"
    }
}

extension ElementKind {
    /// Returns whether an element with a tag may be of the kind, unless a `role` says otherwise.
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
    /// Returns the visible elements of some kinds, in document order, without controls that a person cannot use.
    func all(_ kinds: ElementKind..., in scope: Element?) -> [Element] {
        all(kinds, in: scope).filter { !$0.isHidden }
    }

    /// Returns the elements of some kinds that a click on the summary of a closed `details` shows.
    func folded(_ kinds: ElementKind..., in scope: Element?) -> [Element] {
        all(kinds, in: scope).filter { $0.isHidden && !$0.isOutOfReach }
    }

    private func all(_ kinds: [ElementKind], in scope: Element?) -> [Element] {
        guard let top = scope ?? root else { return [] }
        var candidates = top.descendants(withRoleOrTag: { tag in kinds.contains { $0.isMade(by: tag) } })
        // A link around a whole card is its row and its control at once.
        if let scope, scope.isA(.link) || scope.isA(.button) { candidates.insert(scope, at: 0) }
        return candidates.filter { element in
            guard let kind = kinds.first(where: element.isA) else { return false }
            return kind == .row || kind == .heading || !element.isInert
        }
    }
}

extension Document {
    /// The visible rows of tables and lists, without rows that have only headers.
    package var rows: [Element] {
        all(.row, in: nil).filter { $0.tag != .tr || $0.children.contains { $0.tag == .td } }
    }
}

extension [Element] {
    /// The elements that do not contain another element of the array.
    var innermost: [Element] {
        let all = Set(self)
        let outer = Set(flatMap { element in element.ancestors.filter { all.contains($0) } })
        return filter { !outer.contains($0) }
    }
}
