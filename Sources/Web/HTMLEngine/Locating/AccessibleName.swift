import Encodings
import Markup

extension Element {
    /// The name that a person or a screen reader knows it by (Accessible Name and Description Computation 1.2, as far
    /// as it applies to a static page).
    public var accessibleName: String { names.first ?? "" }

    /// Every name that a locator may use, the accessible name first. A field with a label and a placeholder has both.
    var names: [String] {
        var names: [String] = []
        names.reserveCapacity(2)
        names.add(nameByReference)
        names.add(self[attribute: "aria-label"])
        switch tag {
        case .input, .select, .textarea, .button, .meter, .output, .progress:
            let labels = labels.map { $0.nameFromContent(without: self) }
            if labels.count > 1 { names.add(labels.joined(separator: " ")) }
            for label in labels { names.add(label) }
            for name in nativeNames { names.add(name) }
        case .fieldset: names.add(children.first { $0.tag == .legend }?.text)
        case .table: names.add(children.first { $0.tag == .caption }?.text)
        case .img, .area: names.add(self[attribute: "alt"])
        case .iframe, .frame: names.add(self[attribute: "name"])
        default: names.add(nameFromContent())
        }
        names.add(self[attribute: "title"])
        if tag == .input || tag == .textarea {
            names.add(self[attribute: "placeholder"])
            names.add(self[attribute: "aria-placeholder"])
        }
        return names
    }

    /// The name that `aria-labelledby` gives; empty when it names nothing.
    var nameByReference: String {
        // Browsers take the second spelling too.
        guard let references = self[attribute: "aria-labelledby"] ?? self[attribute: "aria-labeledby"] else {
            return ""
        }
        let parts = references.words.compactMap { document.element(withID: String($0))?.nameForReference }
        return parts.joined(separator: " ")
    }

    /// The name that the element lends to another one that refers to it. Its own references are not followed (rule 2B).
    private var nameForReference: String {
        if let label = self[attribute: "aria-label"]?.foldingSpace, !label.isEmpty { return label }
        switch tag {
        case .img, .area: return self[attribute: "alt"] ?? self[attribute: "title"] ?? ""
        default:
            // All of a hidden element is its name, hidden parts included (rule 2A with 2B).
            let content = nameFromContent(countingHidden: isHidden)
            return content.isEmpty ? self[attribute: "title"] ?? "" : content
        }
    }

    /// The names that a control displays on itself.
    private var nativeNames: [String?] {
        switch controlType {
        case _ where tag == .button: [nameFromContent()]
        case .submit: [self[attribute: "value"] ?? "Submit"]
        case .reset: [self[attribute: "value"] ?? "Reset"]
        case .button: [self[attribute: "value"]]
        case .image: [self[attribute: "alt"], self[attribute: "value"], isNamedPicture ? nil : "Submit"]
        default: []
        }
    }

    /// False for a button with a picture that browsers name “Submit”.
    private var isNamedPicture: Bool {
        has("value") || self[attribute: "alt"].map { !$0.foldingSpace.isEmpty || has("title") } ?? false
    }
}

extension [String] {
    /// Adds a name, with white space folded, unless it is empty or already there.
    fileprivate mutating func add(_ name: String?) {
        guard let name = name?.foldingSpace, !name.isEmpty, !contains(name) else { return }
        append(name)
    }
}
