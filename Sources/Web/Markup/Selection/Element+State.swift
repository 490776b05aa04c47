import CLibXML2

extension Element {
    /// True if the page marks it as checked or selected (Selectors, section 12.3.1).
    var isCheckedByPage: Bool {
        switch controlType {
        case .checkbox, .radio: has("checked")
        default: tag == .option && has("selected")
        }
    }

    var canBeDisabled: Bool {
        switch tag {
        case .button, .input, .select, .textarea, .optgroup, .option, .fieldset: true
        default: false
        }
    }

    /// True if it is disabled, as a form control (HTML Standard, section 4.10.19.5) or as an option (4.10.10).
    public var isDisabled: Bool {
        // On most pages nothing is disabled.
        guard document.interned("disabled") != nil else { return false }
        if has("disabled") { return canBeDisabled }
        if tag == .option { return parent.map { $0.tag == .optgroup && $0.has("disabled") } ?? false }
        guard canBeDisabled, tag != .optgroup else { return false }
        var inner = self
        for outer in ancestors {
            if outer.tag == .fieldset, outer.has("disabled") {
                let legend = outer.children.first { $0.tag == .legend }
                if legend == nil || inner != legend { return true }
            }
            inner = outer
        }
        return false
    }

    var canBeRequired: Bool { controlType.canBeRequired }

    /// True if a person can change its text (Selectors, section 12.1.3).
    var isReadWrite: Bool {
        switch tag {
        case .input, .textarea: controlType.canBeReadOnly && !has("readonly") && !isDisabled
        default: ["", "true", "plaintext-only"].contains(self[attribute: "contenteditable"]?.lowercased() ?? "no")
        }
    }
}

extension xmlNode {
    /// True if it is neither an element nor a non-empty text.
    var isNothing: Bool {
        switch type {
        case XML_ELEMENT_NODE: false
        case XML_TEXT_NODE: content.map { $0.pointee == 0 } ?? true
        default: true
        }
    }
}
