extension Element {
    /// The name that a person, or a screen reader, knows it by (after Accessible Name and Description Computation 1.2,
    /// as far as a static page allows).
    public var accessibleName: String { names.first ?? "" }

    /// Every name that it may be asked for by, the accessible name first.
    var names: [String] {
        var names: [String] = []
        if let references = self[attribute: "aria-labelledby"] {
            names.append(
                references.words.compactMap { document.element(withID: String($0))?.text }.joined(separator: " "))
        }
        if let label = self[attribute: "aria-label"] { names.append(label.foldingSpace) }
        switch name {
        case "input", "select", "textarea": names += fieldNames
        case "button", "a", "area", "summary", "label", "option":
            names.append(contentName)
            if name == "area", let alternative = self[attribute: "alt"] { names.append(alternative.foldingSpace) }
        case "img": names.append(self[attribute: "alt"]?.foldingSpace ?? "")
        default: names.append(text)
        }
        if let title = self[attribute: "title"] { names.append(title.foldingSpace) }
        return names.filter { !$0.isEmpty }
    }

    private var fieldNames: [String] {
        var names: [String] = []
        if name == "input" {
            switch self[attribute: "type"]?.lowercased() {
            case "submit": names.append(self[attribute: "value"]?.foldingSpace ?? "Submit")
            case "reset": names.append(self[attribute: "value"]?.foldingSpace ?? "Reset")
            case "button": names.append(self[attribute: "value"]?.foldingSpace ?? "")
            case "image":
                names += [self[attribute: "alt"]?.foldingSpace, self[attribute: "value"]?.foldingSpace, "Submit"]
                    .compactMap(\.self)
            default: break
            }
        }
        names += labels.map(\.labelText)
        if let placeholder = self[attribute: "placeholder"] { names.append(placeholder.foldingSpace) }
        return names
    }

    /// The `label` elements of a field: those that name it by id, and the one around it.
    var labels: [Element] {
        var labels: [Element] = []
        if let id = self[attribute: "id"], !id.isEmpty, let root = document.root {
            labels += root.descendants.filter { $0.name == "label" && $0[attribute: "for"] == id }
        }
        if let around = ancestors.first(where: { $0.name == "label" }), !around.has("for") { labels.append(around) }
        return labels
    }

    /// A label's words without those of the fields inside it.
    private var labelText: String {
        var text = text
        for field in descendants where ["select", "textarea", "button"].contains(field.name) {
            let inner = field.text
            if !inner.isEmpty, let range = text.firstRange(of: inner) { text.removeSubrange(range) }
        }
        return text.foldingSpace
    }

    /// The text, and the alternative text of pictures where there is none.
    private var contentName: String {
        let text = text
        guard text.isEmpty else { return text }
        return descendants.compactMap { element -> String? in
            switch element.name {
            case "img": element[attribute: "alt"]
            case "svg", "i", "span": element[attribute: "aria-label"] ?? element[attribute: "title"]
            case "title": element.rawText
            default: nil
            }
        }.joined(separator: " ").foldingSpace
    }
}

extension Document {
    func element(withID id: String) -> Element? {
        root?.descendants.first { $0[attribute: "id"] == id }
    }
}
