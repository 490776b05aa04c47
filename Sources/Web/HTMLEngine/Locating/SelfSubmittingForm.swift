import Encodings
import Markup

extension Page {
    /// The most characters that a page shows beside the form that its script submits at once.
    private static let longestNotice = 300

    /// The form that the page's own script submits at once, if the page is nothing else: the way in which SAML and OpenID
    /// Connect hand a sign-in from one host to another (SAML 2.0 bindings, section 3.5; OAuth 2.0 form post response mode).
    var selfSubmittingForm: Element? {
        guard let root = document.root else { return nil }
        var form: Element?
        var scripts: [String] = []
        for element in root.descendants {
            switch element.name {
            case "form":
                guard form == nil, element[attribute: "method"]?.lowercased() == "post",
                    element[attribute: "action"] != nil
                else { return nil }
                form = element
            case "body": scripts.append(element[attribute: "onload"] ?? "")
            case "script": scripts.append(element.rawText)
            case "input", "button":
                guard element.controlType == .hidden || element.controlType.isSubmitButton else { return nil }
            case "select", "textarea", "a", "iframe", "table": return nil
            default: break
            }
        }
        guard let form, scripts.contains(where: Self.submits),
            form.ownedControls.contains(where: { $0.controlType == .hidden }),
            root.text.count <= Self.longestNotice
        else { return nil }
        return form
    }

    /// Returns whether a script calls `submit` or `click` on something.
    private static func submits(_ script: String) -> Bool {
        guard script.utf8.count <= 4096 else { return false }
        return [".submit", ".click"].contains { name in
            script.ranges(of: name).contains { script[$0.upperBound...].first { !$0.isWhitespace } == "(" }
        }
    }
}
