import Automation
import Encodings
import HTMLEngine
import Markup
import Secrets
import Selectors
import WebURL

// Acting as a person does: with a pointer and keys.

extension BrowserNavigationEngine {
    public func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws {
        try await engine {
            try await checkFilled()
            let (_, element) = try await locate(form) { try $0.element(form) }
            try await act { try await submit(element, with: fields) }
            filled = []
        }
    }

    /// Submits a form as the page's own script would, with these values.
    func submit(_ form: Element, with fields: [(name: String, value: Input)]) async throws {
        let pairs = JSONValue.array(fields.map { [.string($0.name), .string($0.value.revealed)] })
        let text = String(decoding: try pairs.canonicalBytes(), as: UTF8.self)
        guard try await call(PageScripts.submit, form.number, .string(text)) == true else {
            throw EngineError(.notFillable, "\(form.shortDescription) is not a form; name the form itself")
        }
    }

    public func choose(secret option: Secret, in list: Locator) async throws {
        do {
            try await choose(option.revealed(), in: list)
        } catch is EngineError {
            throw EngineError(.notFillable, "\(list) does not have the option")
        }
    }

    public func submitButtons(formOf field: Locator) async throws -> [String] {
        try await engine { try await locate(field) { try $0.element(field) }.0.submitButtons(formOf: field) }
    }

    public func rule(of field: Locator, brokenBy value: Secret) async throws -> String? {
        try await engine {
            let (page, element) = try await locate(field) { try $0.element(field) }
            return page.rule(of: element, brokenBy: value)?.description
        }
    }

    public func choose(_ option: String, in list: Locator) async throws {
        try await engine {
            let find: (Page) throws -> Element = { page in
                if let made = try page.madeList(list) { return made }
                return try page.option(.name(option), in: list)
            }
            let (page, element) = try await locate(list, find)
            if try page.madeList(list) == element { return try await choose(option, inMadeList: list, element) }
            guard element.controlType != .radio else { return try await check(list, true, find) }
            // A page that draws its list anew while the option is chosen gets it once more.
            for isAgain in [false, true] {
                var isHeld = false
                try await act {
                    isHeld = try await whenReady(list, find) { _, element in
                        let answer = try await call(PageScripts.choose, element.number)
                        guard case .bool(let isHeld) = answer else { throw Obstacle(gone(element)) }
                        return isHeld
                    }
                }
                // A list that the page sets back at once is a menu.
                guard isHeld, let page = try? await render().page, let now = try? find(page),
                    try await call(PageScripts.isSelected, now.number) == false
                else { return }
                guard isAgain else { continue }
                throw EngineError(
                    .notFillable, "\(list) does not keep the option: the page chooses another one; nothing was sent")
            }
        }
    }

    /// Chooses as a person does in a list that the page has made of other elements: opens it, and presses the option.
    private func choose(_ option: String, inMadeList list: Locator, _ element: Element) async throws {
        let fields = filled
        let isOpen = element[attribute: "aria-expanded"] == "true" || element[attribute: "role"] == "listbox"
        if !isOpen {
            try await click(on: list) { page in
                guard let made = try page.madeList(list) else { return try page.element(list) }
                return made
            }
        }
        try await click(on: list) { try $0.madeOption(option) }
        // Nothing was sent by it.
        filled = fields
    }

    public func check(_ box: Locator, _ isOn: Bool) async throws {
        try await engine {
            try await check(box, isOn) { page in
                let element = try page.element(box)
                try page.checkChecking(element, isOn)
                return element
            }
        }
    }

    private func check(_ box: Locator, _ isOn: Bool, _ find: (Page) throws -> Element) async throws {
        let isClicked = try await again(while: box) {
            let target = try await whenReady(box, find) { page, element -> Target? in
                guard try await call(PageScripts.isChecked, element.number) != .bool(isOn) else { return nil }
                let label = try await call(PageScripts.label, element.number)
                return try await aim(at: element, numbered: label == .null ? element.number : label, on: page)
            }
            guard let target else { return false }
            try await act(isWatched: true) { try await click(target) }
            return true
        }
        guard isClicked else { return }
        // Another page, or one that took the box away, has taken the click.
        guard let page = try? await render().page, (try? find(page)) != nil else { return }
        try await whenReady(box, find) { _, element in
            guard try await call(PageScripts.isChecked, element.number) != .bool(isOn) else { return }
            throw Obstacle(
                EngineError(
                    .notFillable,
                    "\(element.shortDescription) is \(isOn ? "not checked" : "still checked") after it was clicked; "
                        + "nothing was sent"))
        }
    }

    /// An element that is in view and can be clicked.
    struct Target {
        fileprivate let id: JSONValue
    }

    /// Clicks on an element, and returns when the page rests. An element that the page replaces in the last moment is
    /// found again.
    ///
    /// - Parameters:
    ///   - checksForm: refuses a button whose form the browser would not submit.
    ///   - find: returns the element on the page, or throws what is wrong with it.
    func click(
        on locator: Locator, checkingForm checksForm: Bool = false, _ find: (Page) throws -> Element
    ) async throws {
        try await checkFilled()
        try await withTarget(at: locator, checkingForm: checksForm, find) { target in
            try await act(isWatched: true) { try await click(target) }
        }
        filled = []
    }

    /// Does something with an element that can be clicked. A virtualised list replaces its rows while it is scrolled, and a
    /// framework replaces its buttons; the element is found again then.
    func withTarget<Value>(
        at locator: Locator, checkingForm checksForm: Bool = false, _ find: (Page) throws -> Element,
        _ work: (Target) async throws -> Value
    ) async throws -> Value {
        try await again(while: locator) {
            try await work(
                try await whenReady(locator, hovering: true, find) { page, element in
                    try await aim(at: element, numbered: element.number, on: page, checkingForm: checksForm)
                })
        }
    }

    /// Does something again while the page draws an element anew in the moment of its use.
    private func again<Value>(while locator: Locator, _ work: () async throws -> Value) async throws -> Value {
        let end = ContinuousClock.now + patience
        while true {
            do {
                return try await work()
            } catch let error as BrowserError where error.isAboutGoneElement && ContinuousClock.now < end {
                lastReading = nil
            } catch is MissedElement {
                guard ContinuousClock.now < end else {
                    throw EngineError(
                        .notFillable,
                        "\(locator) was drawn anew each time in the moment of the press; nothing was pressed")
                }
                lastReading = nil
            }
        }
    }

    /// Makes ready for a click on an element.
    private func aim(
        at element: Element, numbered number: JSONValue, on page: Page, checkingForm checksForm: Bool = false
    ) async throws -> Target {
        let answer = try await value(PageScripts.target, number, .bool(checksForm))["value"]?.arrayValue ?? []
        let state = answer.count == 3 ? answer[0]["value"]?.stringValue ?? "gone" : "gone"
        if state != "gone", let invalid = answer[1]["value"]?.stringValue { throw try refusal(of: invalid, on: page) }
        switch state {
        case "ready":
            guard let id = answer[2]["sharedId"] else { throw Obstacle(gone(element)) }
            return Target(id: id)
        case "gone": throw Obstacle(gone(element))
        case "moving":
            throw Obstacle(
                EngineError(.notFillable, "\(element.shortDescription) does not stop moving; a person could not hit it")
            )
        case "disabled":
            throw Obstacle(
                EngineError(
                    .notFillable,
                    "\(element.shortDescription) is marked aria-disabled; the page does nothing when it is pressed"))
        case "unreachable":
            throw Obstacle(
                EngineError(
                    .notFillable, "\(element.shortDescription) takes no clicks: its style says pointer-events: none"))
        case "boxless", "outside":
            throw Obstacle(
                EngineError(
                    .notFillable, "\(element.shortDescription) has no place on the page; a person sees none of it"))
        case let cover:
            throw Obstacle(
                EngineError(.notFillable, "\(element.shortDescription) is covered by \(cover); close that first"))
        }
    }

    /// Clicks into the middle of an element, where a person would.
    ///
    /// - Throws: ``MissedElement`` when something else was there by then. It has not got that click.
    func click(_ target: Target) async throws {
        try await point(
            at: target.id, then: [["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0]])
        // A document that is gone has taken the click.
        let met = try? await call(PageScripts.pressed)
        if met == .bool(false) { throw MissedElement() }
    }

    /// Moves the pointer over the middle of an element, by the browser's name for it.
    func hover(over id: JSONValue) async throws { try await point(at: id, then: []) }

    private func point(at id: JSONValue, then actions: [JSONValue]) async throws {
        let move: JSONValue = [
            "type": "pointerMove", "x": 0, "y": 0, "origin": ["type": "element", "element": ["sharedId": id]],
        ]
        try await perform([
            "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
            "actions": .array([move] + actions),
        ])
    }

    /// Types a text, key by key.
    func type(_ text: String, _ isSecret: Bool = false) async throws {
        let keys = text.map { $0 == "\n" ? "\u{E006}" : String($0) }
        do {
            try await perform([
                "type": "key", "id": "keys",
                "actions": .array(
                    keys.flatMap { key -> [JSONValue] in
                        [["type": "keyDown", "value": .string(key)], ["type": "keyUp", "value": .string(key)]]
                    }),
            ])
        } catch let error as BrowserError where isSecret && error.code == .refused {
            // The browser's words may repeat a key.
            throw BrowserError(.refused, "the browser could not type the secret")
        }
    }

    private func perform(_ source: JSONValue) async throws {
        _ = try await connection.call("input.performActions", ["context": .string(context), "actions": [source]])
    }

    func gone(_ element: Element) -> EngineError {
        EngineError(.notFound, "\(element.shortDescription) left the page before it was used")
    }

    /// Refuses a link that leads where the script may not go, before it is clicked.
    func checkLink(_ element: Element, on page: Page) throws {
        guard let reference = element.linkReference else { return }
        let url = try page.resolve(reference)
        if ["http", "https", "file", "ftp"].contains(url.scheme) { try policy.check(url) }
    }

    /// The error about a form that the browser would not submit, because of what is in one of its fields.
    private func refusal(of invalid: String, on page: Page) throws -> EngineError {
        let json = try JSONReader.read(invalid)
        let number = json["number"]?.intValue.map(String.init)
        let control = page.document.controls.first { $0[attribute: PageScripts.number] == number }
        return EngineError(
            .notFillable,
            "\(control?.shortDescription ?? "a field"): \(json["words"]?.stringValue ?? "") A browser would not submit the "
                + "form; fill it first")
    }
}

/// The page was drawn anew between the look at an element and the click on it, which would have met something else.
private struct MissedElement: Error {}

extension BrowserError {
    /// The page has replaced the element between the look at it and the act. Nothing was done.
    fileprivate var isAboutGoneElement: Bool {
        code == .refused && (message.contains("no such element") || message.contains("no such node"))
    }
}
