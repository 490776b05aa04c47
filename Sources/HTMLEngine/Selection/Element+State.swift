import CLibXML2

extension Element {
    /// Section 12.3.1.
    var isCheckedByPage: Bool {
        switch name {
        case "option": has("selected")
        case "input": has("checked") && ["checkbox", "radio"].contains(self[attribute: "type"]?.lowercased() ?? "")
        default: false
        }
    }

    var canBeDisabled: Bool {
        ["button", "input", "select", "textarea", "optgroup", "option", "fieldset"].contains(name)
    }

    /// HTML standard, section 4.10.19.5, "enabling and disabling form controls"; and options (4.10.10).
    public var isDisabled: Bool {
        // On most pages nothing is.
        guard document.interned("disabled") != nil else { return false }
        if has("disabled") { return canBeDisabled }
        if name == "option" { return parent.map { $0.name == "optgroup" && $0.has("disabled") } ?? false }
        guard ["button", "input", "select", "textarea", "fieldset"].contains(name) else { return false }
        var inner = self
        for outer in ancestors {
            if outer.name == "fieldset", outer.has("disabled") {
                let legend = outer.children.first { $0.name == "legend" }
                if legend == nil || inner != legend { return true }
            }
            inner = outer
        }
        return false
    }

    var canBeRequired: Bool {
        switch name {
        case "select", "textarea": true
        case "input":
            !["hidden", "range", "color", "submit", "image", "reset", "button"].contains(
                self[attribute: "type"]?.lowercased() ?? "text")
        default: false
        }
    }

    /// A person can change its text (Selectors, section 12.1.3).
    var isReadWrite: Bool {
        switch name {
        case "textarea": return !has("readonly") && !isDisabled
        case "input":
            let fixed = ["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"]
            return !fixed.contains(self[attribute: "type"]?.lowercased() ?? "text") && !has("readonly") && !isDisabled
        default:
            return ["", "true", "plaintext-only"].contains(self[attribute: "contenteditable"]?.lowercased() ?? "no")
        }
    }
}

extension xmlNode {
    /// Neither an element nor a text that is not empty.
    var isNothing: Bool {
        switch type {
        case XML_ELEMENT_NODE: false
        case XML_TEXT_NODE: content.map { $0.pointee == 0 } ?? true
        default: true
        }
    }
}
