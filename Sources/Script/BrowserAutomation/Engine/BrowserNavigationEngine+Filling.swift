import Automation
import Encodings
import HTMLEngine
import Markup
import Secrets
import Selectors

// Filling fields, and making sure that they hold it before anything is sent.

extension BrowserNavigationEngine {
    /// The way of a text into a field.
    private enum Way: CaseIterable {
        /// Key by key, as a person types.
        case keys
        /// As a whole, for a page that draws the field anew after each key.
        case whole
    }

    public func fill(_ field: Locator, with input: Input) async throws {
        try await engine {
            try await put(input, into: field)
            try failOnDialog()
        }
    }

    public func characterFields(of field: Locator) async throws -> [Locator] {
        try await engine { try await openPage().characterFields(of: field) }
    }

    private func put(_ input: Input, into field: Locator) async throws {
        var held: String? = ""
        var words = ""
        for way in Way.allCases {
            let (index, element) = try await type(input, into: field, way)
            words = element.shortDescription
            let isSet = element.controlType.isSetWhole
            held = try await content(of: field, at: index, holding: input)
            guard let held, !(isSet && !held.isEmpty), !FieldContent(text: held).holds(input) else {
                filled.removeAll { $0.locator == field && $0.context == context }
                if !isSet {
                    filled.append(FilledField(locator: field, input: input, context: context, index: index))
                }
                return
            }
        }
        throw Self.cut(words, isEmpty: held == "")
    }

    private static func cut(_ field: String, isEmpty: Bool) -> EngineError {
        EngineError(
            .notFillable,
            isEmpty
                ? "\(field) is still empty after it was filled"
                : "\(field) does not hold what was typed into it: the page replaces or cuts it; nothing was sent")
    }

    private func type(
        _ input: Input, into field: Locator, _ way: Way
    ) async throws -> (index: Int, element: Element) {
        let find: (Page) throws -> Element = { page in
            let element = try page.element(field)
            try page.checkFilling(element, with: input)
            return element
        }
        let (index, element) = try await whenReady(field, find) { _, element -> (Int, Element) in
            guard let index = try await call(PageScripts.select, element.number).intValue, index >= 0 else {
                throw Obstacle(gone(element))
            }
            return (index, element)
        }
        lastReading = nil
        if element.controlType.isSetWhole || way == .whole {
            _ = try await call(PageScripts.set, .number(Double(index)), .string(input.revealed))
        } else {
            try await type(input.revealed.isEmpty ? "\u{E017}" : input.revealed, input.isSecret)
        }
        return (index, element)
    }

    /// Returns what a field holds that was filled; the one that stands in its place now, where the page has drawn it anew
    /// before it had the whole text. Nil when the page has moved on without it.
    ///
    /// A page that has had the whole text may have sent it, so nothing is typed into what came after it.
    private func content(of field: Locator, at index: Int, holding input: Input) async throws -> String? {
        do {
            // A framework draws a field anew a moment after it was typed into.
            _ = try await call(PageScripts.quiet, 30, 300)
            let held = try await call(PageScripts.held, .number(Double(index)))
            if case .string(let text) = held { return text }
            guard case .bool(true) = held else {
                try await settle()
                return nil
            }
            let last = try await call(PageScripts.last, .number(Double(index))).stringValue ?? ""
            if FieldContent(text: last).holds(input) { return last }
            lastReading = nil
            let page = try await render().page
            guard let element = try? page.element(field) else { return nil }
            return try await call(PageScripts.content, element.number).stringValue
        } catch let error as BrowserError where error.code == .refused {
            // The last key has sent the page away, as the last digit of a code does.
            try await settle()
            return nil
        }
    }

    /// Checks, before a step that may send them, that the fields hold what they were filled with. A page that has drawn a
    /// field anew meanwhile gets the text once more.
    ///
    /// - Throws: ``EngineError`` when a part of it is missing again.
    func checkFilled() async throws {
        let fields = filled.filter { $0.context == context }
        for field in fields where try await isCut(field) {
            try await put(field.input, into: field.locator)
            if let again = filled.first(where: { $0.locator == field.locator && $0.context == context }),
                try await isCut(again)
            {
                throw Self.cut(field.locator.description, isEmpty: false)
            }
        }
    }

    private func isCut(_ field: FilledField) async throws -> Bool {
        do {
            let held = try await call(PageScripts.held, .number(Double(field.index)))
            if case .string(let text) = held {
                // The page may change what is not a secret as it likes.
                return field.input.isSecret && FieldContent(text: text).isCut(of: field.input)
            }
            guard case .bool(true) = held, let page = try? await render(anew: true).page,
                let element = try? page.element(field.locator)
            else { return false }
            let text = try await call(PageScripts.content, element.number).stringValue ?? ""
            return FieldContent(text: text).isCut(of: field.input)
        } catch let error as BrowserError where error.code == .refused {
            return false
        }
    }
}

extension ControlType {
    /// The keys of such a field depend on the system's language, or it has none.
    fileprivate var isSetWhole: Bool {
        switch self {
        case .date, .month, .week, .time, .localDateTime, .range, .color: true
        default: false
        }
    }
}
