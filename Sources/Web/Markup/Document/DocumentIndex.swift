import CLibXML2

/// Ids, labels, forms and controls of a document, gathered in one walk.
///
/// It holds bare nodes: elements would keep the document alive, and the document keeps the index.
final class DocumentIndex: @unchecked Sendable {
    /// A radio button group: the radio buttons of a form that share a name (HTML Standard, section 4.10.5.1.16).
    struct RadioGroup {
        struct Key: Hashable {
            let form: xmlNodePtr?
            let name: String
        }

        var members: [xmlNodePtr] = []
        /// The last member with the `checked` attribute.
        var marked: xmlNodePtr?
    }

    fileprivate let contents: Contents

    init(_ document: Document) {
        contents = Contents(document)
    }

    /// A struct, because Swift checks each access to a class's variables for exclusivity.
    fileprivate struct Contents {
        private(set) var forms: [xmlNodePtr] = []
        private(set) var controls: [xmlNodePtr] = []
        private(set) var byID: [String: xmlNodePtr] = [:]
        private(set) var labels: [xmlNodePtr: [xmlNodePtr]] = [:]
        private(set) var owners: [xmlNodePtr: xmlNodePtr] = [:]
        private(set) var owned: [xmlNodePtr: [xmlNodePtr]] = [:]
        private(set) var radioGroups: [RadioGroup.Key: RadioGroup] = [:]
    }
}

extension DocumentIndex.Contents {
    init(_ document: Document) {
        guard let root = document.root else { return }
        let id = document.interned("id")
        controls.reserveCapacity(8)
        byID.reserveCapacity(12)
        var labelElements: [Element] = []
        for node in ElementsBelow(root.node) {
            if let value = node.value(of: id) {
                let value = String(cString: value)
                if byID[value] == nil { byID[value] = node }
            }
            switch node.tag {
            case .input, .select, .textarea, .button: controls.append(node)
            case .form: forms.append(node)
            case .label: labelElements.append(Element(node, in: document))
            default: break
            }
        }
        if !labelElements.isEmpty { labels.reserveCapacity(labelElements.count) }
        for label in labelElements {
            if let control = labeledControl(of: label) { labels[control, default: []].append(label.node) }
        }
        if !controls.isEmpty { owners.reserveCapacity(controls.count) }
        for control in controls { assign(Element(control, in: document)) }
    }

    /// Returns the control that a label is for (HTML Standard, section 4.10.4).
    private func labeledControl(of label: Element) -> xmlNodePtr? {
        if let id = label[attribute: "for"] {
            return byID[id].map { Element($0, in: label.document) }.flatMap { $0.isLabelable ? $0.node : nil }
        }
        return label.descendants.first(where: \.isLabelable)?.node
    }

    private mutating func assign(_ control: Element) {
        let owner = owner(of: control)
        if let owner {
            owners[control.node] = owner
            owned[owner, default: []].append(control.node)
        }
        if control.controlType == .radio, let name = control[attribute: "name"], !name.isEmpty {
            let key = DocumentIndex.RadioGroup.Key(form: owner, name: name)
            radioGroups[key, default: .init()].members.append(control.node)
            if control.has("checked") { radioGroups[key]?.marked = control.node }
        }
    }

    /// Returns the form owner of a control (section 4.10.18.3): the `form` attribute's, else the one that the parser
    /// associated, else the nearest form around it.
    private func owner(of control: Element) -> xmlNodePtr? {
        if let id = control[attribute: "form"] {
            return byID[id].flatMap { $0.tag == .form ? $0 : nil }
        }
        return control.node.notes.pointee.formOwner ?? control.ancestors.first { $0.tag == .form }?.node
    }
}

extension Document {
    package func element(withID id: String) -> Element? { index.contents.byID[id].map { Element($0, in: self) } }

    /// The forms, in document order.
    package var forms: [Element] { index.contents.forms.map { Element($0, in: self) } }

    /// The `input`, `select`, `textarea` and `button` elements, in document order.
    package var controls: [Element] { index.contents.controls.map { Element($0, in: self) } }
}

extension Element {
    /// The `label` elements of a control, in document order.
    package var labels: [Element] { document.index.contents.labels[node]?.map { Element($0, in: document) } ?? [] }

    /// The control that a `label` is for; nil for a label that names none.
    package var labeledControl: Element? {
        if let id = self[attribute: "for"] { return document.element(withID: id).flatMap { $0.isLabelable ? $0 : nil } }
        return descendants.first(where: \.isLabelable)
    }

    /// The form that a control belongs to, wherever it stands in the tree (section 4.10.18.3).
    package var formOwner: Element? { document.index.contents.owners[node].map { Element($0, in: document) } }

    /// The controls that a form owns, in document order.
    package var ownedControls: [Element] {
        document.index.contents.owned[node]?.map { Element($0, in: document) } ?? []
    }

    private var group: DocumentIndex.RadioGroup? {
        guard let name = self[attribute: "name"], !name.isEmpty else { return nil }
        return document.index.contents.radioGroups[.init(form: document.index.contents.owners[node], name: name)]
    }

    /// The radio buttons of the element's group, including itself, in document order.
    package var radioGroup: [Element] { group?.members.map { Element($0, in: document) } ?? [self] }

    package var isFirstOfRadioGroup: Bool { group.map { $0.members.first == node } ?? true }

    /// True if the button is the checked one of its group as the page arrived: the last that has `checked`.
    package var isMarkedOfRadioGroup: Bool { group.map { $0.marked == node } ?? has("checked") }

    /// True if it is a labelable element (section 4.10.2).
    fileprivate var isLabelable: Bool {
        switch tag {
        case .button, .meter, .output, .progress, .select, .textarea: true
        case .input: controlType != .hidden
        default: false
        }
    }
}

/// The elements of a document by name, so that a selector need not walk all of them.
///
/// It holds bare nodes: elements would keep the document alive, and the document keeps this.
final class ElementNames: @unchecked Sendable {
    let elements: [InternedName: [xmlNodePtr]]

    init(_ document: Document) {
        var elements: [InternedName: [xmlNodePtr]] = [:]
        if let root = document.root {
            if let name = root.node.pointee.name { elements[name] = [root.node] }
            for node in ElementsBelow(root.node) {
                if let name = node.pointee.name { elements[name, default: []].append(node) }
            }
        }
        self.elements = elements
    }
}
