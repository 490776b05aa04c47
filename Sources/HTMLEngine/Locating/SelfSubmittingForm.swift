import DOM
import TextMatching

extension Page {
    /// The most characters that a page shows beside the form that its script submits at once.
    private static let longestNotice = 300

    /// The form that the page's own script submits at once, if the page is nothing else: the way in which SAML and OpenID
    /// Connect hand a sign-in from one host to another (SAML 2.0 bindings, section 3.5; OAuth 2.0 form post response mode).
    var selfSubmittingForm: Element? {
        guard let root = document.root else { return nil }
        var form: Element?
        var submits = false
        for element in root.descendants {
            switch element.name {
            case "form":
                guard form == nil, element[attribute: "method"]?.lowercased() == "post",
                    element[attribute: "action"] != nil
                else { return nil }
                form = element
            case "body": submits = submits || Self.submits(element[attribute: "onload"] ?? "")
            case "script": submits = submits || Self.submits(element.rawText)
            case "input", "button":
                guard element.controlType == .hidden || element.controlType.isSubmitButton else { return nil }
            case "select", "textarea", "a", "iframe", "table": return nil
            default: break
            }
        }
        guard submits, let form, form.ownedControls.contains(where: { $0.controlType == .hidden }),
            root.text.count <= Self.longestNotice
        else { return nil }
        return form
    }

    private static func submits(_ script: String) -> Bool {
        script.utf8.count <= 4096 && script.contains(/\.submit\s*\(|\.click\s*\(/)
    }
}
