import Automation
import Encodings
import HTMLEngine
import Markup
import Secrets
import Selectors
import WebURL

// Acting as a person does: with a pointer and keys.

extension BrowserNavigationEngine {
    /// The number of times that an element is found again because the page has replaced it.
    private static let mostReplacements = 4

    public func fill(_ field: Locator, with input: Input) async throws {
        try await engine {
            let (page, element) = try await locate(field) { try $0.element(field) }
            try page.checkFilling(element, with: input)
            guard try await call(PageScripts.select, element.number) == true else { throw gone(element) }
            defer { lastReading = nil }
            switch element.controlType {
            case .date, .month, .week, .time, .localDateTime, .range, .color:
                _ = try await call(PageScripts.set, element.number, .string(input.revealed))
            default: try await type(input.revealed.isEmpty ? "\u{E017}" : input.revealed, input.isSecret)
            }
            let length = try await call(PageScripts.length, element.number).intValue ?? -1
            guard length > 0 || input.revealed.isEmpty else {
                throw EngineError(.notFillable, "\(element.shortDescription) is still empty after it was filled")
            }
            try failOnDialog()
        }
    }

    public func submit(form: Locator, with fields: [(name: String, value: Input)]) async throws {
        try await engine {
            let (_, element) = try await locate(form) { try $0.element(form) }
            let pairs = JSONValue.array(fields.map { [.string($0.name), .string($0.value.revealed)] })
            let text = String(decoding: try pairs.canonicalBytes(), as: UTF8.self)
            try await act {
                guard try await call(PageScripts.submit, element.number, .string(text)) == true else {
                    throw EngineError(.notFillable, "\(element.shortDescription) is not a form; name the form itself")
                }
            }
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
            let (page, element) = try await locate(list) { try $0.option(.name(option), in: list) }
            if element.controlType == .radio {
                try await check(element, true, on: page)
            } else {
                try await act {
                    guard try await call(PageScripts.choose, element.number) == true else { throw gone(element) }
                }
            }
        }
    }

    public func check(_ box: Locator, _ isOn: Bool) async throws {
        try await engine {
            let (page, element) = try await locate(box) { try $0.element(box) }
            try page.checkChecking(element, isOn)
            try await check(element, isOn, on: page)
        }
    }

    private func check(_ box: Element, _ isOn: Bool, on page: Page) async throws {
        guard try await call(PageScripts.isChecked, box.number) != .bool(isOn) else { return }
        let label = try await call(PageScripts.label, box.number)
        let target = try await aim(at: box, numbered: label == .null ? box.number : label, on: page)
        guard let target else { throw gone(box) }
        try await act(isWatched: true) { try await click(target) }
    }

    /// An element that is in view and can be clicked.
    struct Target {
        fileprivate let id: JSONValue
    }

    /// Finds an element and brings it into view. A virtualised list replaces its rows while it is scrolled; the element is
    /// found again then.
    ///
    /// - Parameters:
    ///   - checksForm: refuses a button whose form the browser would not submit.
    ///   - find: returns the element on the page, or throws what is wrong with it.
    func aim(
        at locator: Locator, checkingForm checksForm: Bool = false, _ find: (Page) throws -> Element
    ) async throws -> Target {
        for _ in 1..<Self.mostReplacements {
            let (page, element) = try await locate(locator, find)
            if let target = try await aim(at: element, numbered: element.number, on: page, checkingForm: checksForm) {
                return target
            }
            lastReading = nil
        }
        let (page, element) = try await locate(locator, find)
        let target = try await aim(at: element, numbered: element.number, on: page, checkingForm: checksForm)
        guard let target else { throw gone(element) }
        return target
    }

    /// Makes ready for a click on an element; nil when the page has removed it.
    private func aim(
        at element: Element, numbered number: JSONValue, on page: Page, checkingForm checksForm: Bool = false
    ) async throws -> Target? {
        let answer = try await value(PageScripts.target, number, .bool(checksForm))["value"]?.arrayValue ?? []
        guard answer.count == 3 else { return nil }
        let state = answer[0]["value"]?.stringValue ?? "gone"
        if state == "gone" { return nil }
        if let invalid = answer[1]["value"]?.stringValue { throw try refusal(of: invalid, on: page) }
        switch state {
        case "ready": return answer[2]["sharedId"].map(Target.init)
        case "boxless", "outside":
            throw EngineError(
                .notFillable, "\(element.shortDescription) has no place on the page; a person sees none of it")
        case let cover:
            throw EngineError(.notFillable, "\(element.shortDescription) is covered by \(cover); close that first")
        }
    }

    /// Clicks into the middle of an element, where a person would.
    func click(_ target: Target) async throws {
        try await perform([
            "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
            "actions": [
                [
                    "type": "pointerMove", "x": 0, "y": 0,
                    "origin": ["type": "element", "element": ["sharedId": target.id]],
                ],
                ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
            ],
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
