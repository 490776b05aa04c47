import Foundation
import Markup
import Selectors

/// The effect of a click.
enum Activation {
    case visit(Hop)
    /// The page only scrolls.
    case stay
    case reset(Element)
}

extension BrowserSession {
    /// Returns the element to press. A link of that name will do if no button has it, because links are often drawn as
    /// buttons.
    func pressable(_ locator: Locator) throws -> Element {
        let page = try currentPage
        guard case .button(let name) = locator.target else { return try page.element(locator) }
        let found = try page.elements(locator)
        if found.count == 1 { return found[0] }
        var control = locator
        control.target = .control(name)
        let isLink = try found.isEmpty && !page.elements(control).isEmpty
        return try page.element(isLink ? control : locator)
    }

    func activation(of element: Element, at point: ImagePoint = .corner) throws -> Activation {
        guard let target = element.activated else { throw NavigationError(notForPressing: element) }
        if target.name == "a" || target.name == "area" { return try link(target) }
        let type = target.controlType
        guard type.isButton else {
            throw FormError(.wrongKind, "\(target.glimpse) is not for pressing; use fill, choose or check")
        }
        try FormState.checkUsable(target)
        guard let form = target.formOwner else {
            throw NavigationError.needsJavaScript(target, "is a button without a form")
        }
        if type == .reset { return .reset(form) }
        guard type.isSubmitButton else {
            throw NavigationError.needsJavaScript(target, "is a button that submits nothing by itself")
        }
        return try submission(of: form, by: target, at: point)
    }

    func link(_ element: Element) throws -> Activation {
        let around = element.activated ?? element
        guard around.name == "a" || around.name == "area" else {
            if around.controlType.isButton {
                throw NavigationError(code: .notALink, message: "\(around.glimpse) is a button; use press")
            }
            throw NavigationError.needsJavaScript(element, "is not a link")
        }
        guard let reference = around[attribute: "href"] else {
            throw NavigationError.needsJavaScript(around, "is a link that leads nowhere by itself")
        }
        let url = try resolve(reference)
        guard url.scheme != "javascript" else {
            throw NavigationError.needsJavaScript(around, "runs a script instead of leading somewhere")
        }
        if url.fragment != nil, url.withoutFragment == (try currentPage).location.withoutFragment {
            guard !around.has("onclick") else {
                throw NavigationError.needsJavaScript(around, "runs a script instead of leading somewhere")
            }
            return .stay
        }
        return .visit(hop(to: url, from: around))
    }

    /// Returns the effect of the Enter key in a field: it presses the form's default button. A form without a button is
    /// submitted if it has no second field.
    func implicitSubmission(from field: Element) throws -> Activation {
        guard let form = field.formOwner else {
            throw NavigationError.needsJavaScript(field, "does not belong to a form")
        }
        let controls = form.ownedControls
        if let button = controls.first(where: \.isSubmitButton) {
            guard !button.isDisabled else {
                throw FormError(.notUsable, "\(button.glimpse), the form's default button, is disabled")
            }
            return try submission(of: form, by: button)
        }
        let blocking = controls.filter { $0.controlType.isSingleLine && ![.range, .color].contains($0.controlType) }
        guard blocking.count <= 1 else {
            throw NavigationError.needsJavaScript(
                form, "has no button, and with several fields Enter does not submit it")
        }
        return try submission(of: form, by: nil)
    }

    func submission(
        of form: Element, by button: Element?, at point: ImagePoint = .corner, adding added: [EntryList.Entry] = []
    ) throws -> Activation {
        let page = try currentPage
        let submission = try Submission(
            of: form, submitter: button, at: point, state: formState, url: page.location.withoutFragment,
            base: page.base, adding: added)
        guard submission.url.scheme != "javascript" else {
            throw NavigationError.needsJavaScript(form, "runs a script instead of being sent")
        }
        var hop = hop(to: submission.url, from: form)
        hop.method = submission.method
        hop.body = submission.body
        hop.contentType = submission.contentType
        return .visit(hop)
    }
}

extension Page {
    /// Returns a frame by a selector, or by its title or name.
    func frame(_ locator: Locator) throws -> Element {
        if case .css = locator.target { return try checked(try element(locator)) }
        if case .xpath = locator.target { return try checked(try element(locator)) }
        let frames = document.root?.descendants.filter { $0.name == "iframe" || $0.name == "frame" } ?? []
        let found = try locator.target.name.matching(frames, of: locator) { $0.names }
        guard let first = found.first, found.count == 1 else {
            let list = frames.map(\.glimpse).joined(separator: ", ")
            throw NavigationError(
                code: .noSuchFrame,
                message: "\(found.count) frames are found by: \(locator); \(place) has: \(list.isEmpty ? "none" : list)"
            )
        }
        return first
    }

    private func checked(_ element: Element) throws(NavigationError) -> Element {
        guard element.name == "iframe" || element.name == "frame" else {
            throw NavigationError(code: .noSuchFrame, message: "\(element.glimpse) is not a frame")
        }
        return element
    }
}

extension Locator.Target {
    fileprivate var name: TextMatch {
        switch self {
        case .css(let text), .xpath(let text): .name(text)
        case .field(let match), .button(let match), .link(let match), .control(let match), .row(let match),
            .cell(let match), .text(let match), .heading(let match):
            match
        }
    }
}

extension Element {
    /// The element that a click acts on: this one, or the link, button or control around it.
    fileprivate var activated: Element? {
        func isActive(_ element: Element) -> Bool {
            switch element.name {
            case "a", "area", "button", "input", "select", "textarea": true
            default: false
            }
        }
        if isActive(self) { return self }
        return ancestors.first(where: isActive)
    }
}

extension NavigationError {
    /// Names the only link or button inside, such as that of a table's cell.
    fileprivate init(notForPressing element: Element) {
        let inside = element.descendants.filter { ($0.isA(.link) || $0.isA(.button)) && !$0.isHidden }
        guard let only = inside.first, inside.count == 1 else {
            self = .needsJavaScript(element, "is neither a link nor a button of a form")
            return
        }
        let kind = only.isA(.link) ? "link" : "button"
        let name = only.names.first.map { "\(kind) “\($0)”" } ?? "the \(kind)"
        self.init(
            code: .notALink, message: "\(element.glimpse) is neither a link nor a button; name \(name) in it")
    }
}
