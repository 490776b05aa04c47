import CurlClient
import Encodings
import Markup
import Secrets
import Selectors
import WebURL

// What an engine around a real browser needs: the browser's page read, and judged, as this engine reads its own.

extension Page {
    /// Reads a page that a browser has rendered and written out.
    ///
    /// - Parameter source: the page's source as its content type says: HTML as the browser wrote it, or JSON or text.
    package convenience init(
        rendered source: String, contentType: String, status: Int, headers: [(name: String, value: String)],
        url: URLRecord
    ) throws(DocumentError) {
        let others = headers.filter { $0.name.lowercased() != "content-type" }
        let head = HTTPResponseHead(
            status: status, url: url.description, version: "",
            headers: others.map { HTTPHeader($0.name, $0.value) } + [HTTPHeader("Content-Type", contentType)],
            timings: HTTPTimings(connected: .zero, firstByte: .zero, total: .zero))
        try self.init(HTTPResponse(head: head, body: Array(source.utf8)), location: url)
    }

    /// Returns the URL of a reference on the page.
    package func resolve(_ reference: String) throws -> URLRecord {
        try URLRecord(parsing: reference, base: base, encoding: document.encoding.queryEncoding)
    }

    /// The URL that the page refreshes to within a time, if that is another page.
    package func refreshTarget(within longest: Duration) -> URLRecord? {
        guard let refresh, let reference = refresh.reference, refresh.delay <= longest,
            let target = try? resolve(reference), target.withoutFragment != location.withoutFragment
        else { return nil }
        return target
    }

    /// Returns the element to press. A link of that name will do if no button has it, and then a part of a menu, of a list
    /// or of tabs that the page has made of other elements.
    package func pressable(_ locator: Locator) throws -> Element {
        guard case .button(let name) = locator.target else { return try element(locator) }
        let found = try elements(locator)
        if found.count == 1 { return found[0] }
        var control = locator
        control.target = .control(name)
        if found.isEmpty, try elements(control).isEmpty {
            let made = try madeControls(named: name, of: locator, Self.pressedRoles)
            return made.count == 1 ? made[0] : try element(locator)
        }
        return try element(found.isEmpty ? control : locator)
    }

    /// The roles of what a person presses (WAI-ARIA 1.2, section 5.4), besides buttons and links.
    private static let pressedRoles: Set<String> = [
        "combobox", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "switch", "tab", "treeitem",
    ]

    /// Returns the drop-down list that the page has made of other elements than `select`; nil when it has not one of that
    /// name.
    package func madeList(_ list: Locator) throws -> Element? {
        guard case .field(let name) = list.target, try elements(list).isEmpty else { return nil }
        let made = try madeControls(named: name, of: list, ["combobox", "listbox"])
        return made.count == 1 ? made[0] : nil
    }

    /// Returns the option of a list that the page has made, as it shows it while the list is open. Many pages put it somewhere
    /// else than the list.
    package func madeOption(_ option: String) throws -> Element {
        let text = Locator(.text(.name(option)))
        let made = try madeControls(named: .name(option), of: text, ["option", "menuitemradio"])
        return made.count == 1 ? made[0] : try element(text)
    }

    private func madeControls(named name: TextMatch, of locator: Locator, _ roles: Set<String>) throws -> [Element] {
        let scope = try locator.scope.first.map { try document.element($0) } ?? document.root
        let made = scope?.descendants.filter { element in
            roles.contains(element[attribute: "role"]?.lowercased() ?? "") && !element.isHidden && !element.isInert
                && element.tag != .input && element.tag != .select
        }
        let found = try name.matching(made ?? [], of: locator) { $0.names }
        return locator.nth.map { found.indices.contains($0 - 1) ? [found[$0 - 1]] : [] } ?? found
    }

    /// Checks that a person could type the value into the field.
    package func checkFilling(_ field: Element, with value: Input) throws(FormError) {
        var state = FormState()
        try state.fill(field, with: value)
    }

    /// Returns the option of a list, or the radio button of a group, that a person would choose.
    package func option(_ option: TextMatch, in list: Locator) throws -> Element {
        let element = try element(list)
        var state = FormState()
        try state.choose(option, in: element, locator: list)
        if element.controlType == .select {
            // A list with several choices keeps what the page had chosen; the new option comes last.
            return state.pickedOptions(in: element).last ?? element
        }
        return state.filled.checked.first { $0.value }?.key ?? element
    }

    /// Returns the one text of exactly this name, which a page may have made a button with a script alone, and no heading.
    package func wordsToPress(_ name: TextMatch, like locator: Locator) throws -> Element {
        var words = locator
        words.target = .text(name)
        let element = try element(words)
        guard element.text.foldingSpace.asSeen == name.words.foldingSpace.asSeen,
            !([element] + element.ancestors).contains(where: { $0.isA(.heading) })
        else { throw document.missing(locator) }
        return element
    }

    /// Checks that a person could check or uncheck the box.
    package func checkChecking(_ box: Element, _ isOn: Bool) throws(FormError) {
        var state = FormState()
        try state.check(box, isOn)
    }

    /// Returns the names of the buttons that would submit a field's form, in the page's order.
    package func submitButtons(formOf field: Locator) throws -> [String] {
        (try element(field).formOwner?.ownedControls ?? []).filter { $0.isSubmitButton && !$0.isDisabled }.map {
            button in
            let name = button.accessibleName
            return name.isEmpty ? button.glimpse : name
        }
    }

    /// Checks that a person could use the control.
    package func checkUsable(_ control: Element) throws(FormError) { try FormState.checkUsable(control) }
}

extension Element {
    /// A short description that distinguishes the element from others.
    package var shortDescription: String { glimpse }

    /// The `href` of the link around the element, or of the element itself.
    package var linkReference: String? {
        if tag == .a || tag == .area { return self[attribute: "href"] }
        return ancestors.first { $0.tag == .a }?[attribute: "href"]
    }
}
