import Foundation
import Markup
import WebURL

/// An outline of a page as a person uses it: its forms with fields and buttons, its links and headings.
package struct PageOutline: Sendable {
    package let forms: [FormOutline]
    package let links: [LinkOutline]
    /// Visible headings, in document order.
    package let headings: [Element]

    package init(_ document: Document) {
        let base = Self.base(of: document)
        forms = document.forms.map { FormOutline($0, base: base) }
        links = document.all(.link, in: nil).compactMap { LinkOutline($0, base: base) }
        headings = document.all(.heading, in: nil)
    }

    fileprivate static func base(of document: Document) -> URLRecord? {
        let location = try? URLRecord(parsing: document.url)
        guard let reference = document.metadata.baseReference else { return location }
        return (try? URLRecord(parsing: reference, base: location)) ?? location
    }
}

extension Document {
    /// Returns the URL that the page refreshes to within a time, if that is another page.
    ///
    /// - Parameter header: the answer's `Refresh` header, which wins over the page's own.
    package func refreshTarget(orBy header: String?, within longest: Duration) -> String? {
        guard let refresh = (header ?? metadata.refresh).flatMap(Refresh.init), refresh.delay <= longest,
            let target = refresh.reference.flatMap({ try? URLRecord(parsing: $0, base: PageOutline.base(of: self)) })
        else { return nil }
        let address = target.withoutFragment.description
        return address == url ? nil : address
    }
}

/// A form's fields and buttons, and the URL that it submits to.
package struct FormOutline: Sendable {
    package let element: Element
    /// The absolute URL without the fragment; nil when the action is not a valid URL.
    package let action: String?
    /// `GET` or `POST`.
    package let method: String
    /// Every control that is not a button, hidden or not.
    package let fields: [FieldOutline]
    package let buttons: [ButtonOutline]

    init(_ form: Element, base: URLRecord?) {
        element = form
        let action = form[attribute: "action"] ?? ""
        let target =
            action.isEmpty ? try? URLRecord(parsing: form.document.url) : try? URLRecord(parsing: action, base: base)
        self.action = target?.withoutFragment.description
        method = form[attribute: "method"]?.lowercased() == "post" ? "POST" : "GET"
        let controls = form.ownedControls
        fields = controls.filter { !$0.controlType.isButton }.map(FieldOutline.init)
        buttons = controls.filter(\.isSubmitButton).map(ButtonOutline.init)
    }

    package func field(named name: String) -> FieldOutline? { fields.first { $0.name == name } }
}

/// A field of a form.
package struct FieldOutline: Sendable {
    package let element: Element
    /// The name that it is submitted under.
    package let name: String
    /// `text`, `password`, `select`, `hidden` and so on (HTML Standard, section 4.10.5).
    package let type: String
    /// Its name for a person.
    package let label: String
    /// The value that it submits unless someone changes it; nil for a box that is not checked.
    package let value: String?
    package let options: [OptionOutline]
    package let isHidden: Bool

    package init(_ field: Element) {
        let kind = field.controlType
        let state = FormState()
        element = field
        name = field[attribute: "name"] ?? ""
        type = kind.name
        label = field.namesAsSeen.first ?? ""
        isHidden = kind == .hidden || field.isHidden
        options =
            kind == .select
            ? field.options.map { OptionOutline(label: $0.optionLabel, value: $0.optionValue) } : []
        switch kind {
        case .checkbox, .radio: value = state.isChecked(field) ? field[attribute: "value"] ?? "on" : nil
        case .select: value = state.selectedOptions(of: field).first?.optionValue
        default: value = if case .text(let text) = state.value(of: field) { text } else { nil }
        }
    }

    /// A person cannot change it, and it is not submitted.
    package var isDisabled: Bool { element.isDisabled }

    /// True if a person types into it.
    package var isTypable: Bool { element.controlType.isTypable }

    package var maximumLength: Int? { element[attribute: "maxlength"].flatMap { Int($0) } }
}

package struct OptionOutline: Sendable, Hashable {
    package let label: String
    package let value: String
}

/// A button that submits a form.
package struct ButtonOutline: Sendable {
    package let element: Element
    package let label: String
    package let name: String
    package let value: String

    init(_ button: Element) {
        element = button
        label = button.accessibleName
        name = button[attribute: "name"] ?? ""
        value = button[attribute: "value"] ?? ""
    }

    /// An image that submits its form, with the point of the click (HTML Standard, section 4.10.21.4).
    package var isImage: Bool { element[attribute: "type"]?.lowercased() == "image" }

    /// The names under which an image button sends the point of the click; empty for another button.
    package var pointNames: [String] {
        guard isImage else { return [] }
        return name.isEmpty ? ["x", "y"] : [name + ".x", name + ".y"]
    }
}

/// A visible link.
package struct LinkOutline: Sendable {
    package let element: Element
    package let label: String
    /// The absolute URL, without the fragment.
    package let url: String

    init?(_ link: Element, base: URLRecord?) {
        guard let reference = link[attribute: "href"], let url = try? URLRecord(parsing: reference, base: base),
            url.scheme == "http" || url.scheme == "https"
        else { return nil }
        element = link
        label = link.accessibleName
        self.url = url.withoutFragment.description
    }

    /// The innermost table row or list item around it.
    package var row: Element? { element.row }
}

extension Element {
    /// The innermost table row or list item around it.
    package var row: Element? { ancestors.first { $0.isA(.row) } }

    package var isTableRow: Bool { name == "tr" }
}

extension Document {
    /// The visible buttons and links, in document order.
    package var controlsToPress: [Element] { all(.button, .link, in: nil) }
}
