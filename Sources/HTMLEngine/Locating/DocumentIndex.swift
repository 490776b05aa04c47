import CLibXML2

/// Ids, labels, forms and controls of a document, gathered in one walk over it.
///
/// It holds bare nodes: elements would keep the document alive that keeps the index.
final class DocumentIndex: @unchecked Sendable {
    fileprivate private(set) var forms: [xmlNodePtr] = []
    fileprivate private(set) var controls: [xmlNodePtr] = []
    fileprivate private(set) var byID: [String: xmlNodePtr] = [:]
    fileprivate private(set) var labels: [xmlNodePtr: [xmlNodePtr]] = [:]
    /// The controls of forms that stand where a table has no place for them.
    fileprivate private(set) var strayOwners: [xmlNodePtr: xmlNodePtr] = [:]
    /// The `href` of the first `base` that has one.
    private(set) var baseReference: String?
    /// The `content` of the first `meta` that refreshes the page, those for browsers without scripts left out: they
    /// lead to a page that says no more than that.
    private(set) var refresh: String?
    private(set) var referrerPolicy: String?

    init(_ document: Document) {
        var labelElements: [Element] = []
        var stray: (form: Element, table: Element)?
        guard let root = document.root else { return }
        for element in root.descendants {
            if let id = element[attribute: "id"], byID[id] == nil { byID[id] = element.node }
            switch element.name {
            case "form":
                forms.append(element.node)
                stray = Self.tableAround(emptied: element).map { (element, $0) }
            case "input", "select", "textarea", "button":
                controls.append(element.node)
                if let (form, table) = stray, element.ancestors.contains(table) {
                    strayOwners[element.node] = form.node
                }
            case "label": labelElements.append(element)
            case "base": baseReference = baseReference ?? element[attribute: "href"]
            case "meta": note(meta: element)
            default: break
            }
        }
        for label in labelElements {
            if let control = labeledControl(of: label) { labels[control, default: []].append(label.node) }
        }
    }

    private func note(meta: Element) {
        if meta[attribute: "http-equiv"]?.lowercased() == "refresh",
            !meta.ancestors.contains(where: { $0.name == "noscript" })
        {
            refresh = refresh ?? meta[attribute: "content"]
        }
        if meta[attribute: "name"]?.lowercased() == "referrer", let policy = meta[attribute: "content"] {
            referrerPolicy = policy
        }
    }

    /// HTML Standard, section 4.10.4.
    private func labeledControl(of label: Element) -> xmlNodePtr? {
        if let id = label[attribute: "for"] {
            return byID[id].map { Element($0, in: label.document) }.flatMap { $0.isLabelable ? $0.node : nil }
        }
        return label.descendants.first(where: \.isLabelable)?.node
    }

    /// `<table><form><tr>`: the parser leaves such a form empty, and yet it owns the controls that follow (HTML
    /// Standard, sections 13.2.6.4.9 and 4.10.18.3).
    ///
    /// The tree does not tell where the form's end tag stood; the table's end is taken for it.
    private static func tableAround(emptied form: Element) -> Element? {
        guard form.children.isEmpty, let parent = form.parent else { return nil }
        return switch parent.name {
        case "table": parent
        case "tbody", "thead", "tfoot", "tr": parent.ancestors.first { $0.name == "table" }
        default: nil
        }
    }
}

extension Document {
    func element(withID id: String) -> Element? { index.byID[id].map { Element($0, in: self) } }

    /// In document order.
    var forms: [Element] { index.forms.map { Element($0, in: self) } }

    /// `input`, `select`, `textarea` and `button`, in document order.
    var controls: [Element] { index.controls.map { Element($0, in: self) } }
}

extension Element {
    /// The `label` elements of a control, in document order.
    var labels: [Element] { document.index.labels[node]?.map { Element($0, in: document) } ?? [] }

    /// The form owner of a control (section 4.10.18.3): the `form` attribute, else what the parser gave it, else the
    /// nearest form around it.
    var formOwner: Element? {
        if let id = self[attribute: "form"] {
            return document.element(withID: id).flatMap { $0.name == "form" ? $0 : nil }
        }
        if let stray = document.index.strayOwners[node] { return Element(stray, in: document) }
        return ancestors.first { $0.name == "form" }
    }

    /// The controls that a form owns, in document order.
    var ownedControls: [Element] { document.controls.filter { $0.formOwner == self } }

    /// Section 4.10.2.
    fileprivate var isLabelable: Bool {
        switch name {
        case "button", "meter", "output", "progress", "select", "textarea": true
        case "input": self[attribute: "type"]?.lowercased() != "hidden"
        default: false
        }
    }
}
