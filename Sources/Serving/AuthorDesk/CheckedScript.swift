import Authoring
import Automation
import BankScript
import HTMLEngine
import Selectors

/// The findings of lint in a text, and the elements of one page that its locators find.
struct CheckedScript: Sendable {
    /// Nil for a text that is not a script yet.
    let script: BankScript?
    let findings: [Finding]
    let marks: [LocatorMark]

    /// - Parameters:
    ///   - file: the script's name in messages.
    ///   - page: the page to look at; nil when the recording has none.
    ///   - parameters: returns the values of the script's parameters.
    init(
        _ text: String, file: String, on page: RecordedPage?, plugged: PluggedNames,
        parameters: (BankScript) throws -> [String: ParameterValue]
    ) {
        do throws(ScriptSyntaxError) {
            let script = try BankScript(yaml: text, file: file, steps: plugged.steps)
            self.script = script
            findings = ScriptLint.findings(in: script, plugged: plugged).map { $0.located(in: text) }
            let values = StatementPeriod.texts(of: (try? parameters(script)) ?? [:])
            let scopes = SearchScopes(script)
            marks =
                page.map { page in
                    ScriptLint.locators(in: script, plugged: plugged).map { placed in
                        var mark = LocatorMark(
                            scopes.scoped(placed), at: placed.mark(in: text) ?? Mark(file: file, line: 1), on: page,
                            values: values, locale: script.locale)
                        mark.mayFindNothing = scopes.mayFindNothing(placed)
                        return mark
                    }
                } ?? []
        } catch {
            script = nil
            findings = [Finding(error)]
            marks = []
        }
    }
}

/// The elements of a page that one locator of a script finds.
struct LocatorMark: Sendable {
    enum Outcome: Sendable {
        /// The numbers of the elements, in document order; empty when there is nothing.
        case found([Int])
        /// The values that only a run has.
        case waits(for: [String])
        case invalid(String)
    }

    let mark: Mark
    /// The locator in words, with its templates filled in.
    let words: String
    let outcome: Outcome
    /// The way that found something, counted from 1, of a locator with several.
    let way: Int
    /// The locator as it looks on the page; nil when values are missing.
    let locator: Locator?
    /// True for a step that is right as well where there is nothing: one that declares a failure, or that asks for a condition.
    var mayFindNothing = false

    init(_ locator: Locator, at mark: Mark, on page: RecordedPage, values: [String: String], locale: String) {
        let missing = locator.names.filter { values[$0] == nil }
        guard missing.isEmpty else {
            self.init(mark, locator, .waits(for: missing))
            return
        }
        do throws(TemplateError) {
            let filled = try locator.filling { text throws(TemplateError) in
                try Template(text).filled(with: values, locale: locale)
            }
            let (outcome, way) = Self.outcome(of: filled, on: page)
            self.init(mark, filled, outcome, way: way, located: filled)
        } catch {
            self.init(mark, locator, .invalid(error.message))
        }
    }

    private init(_ mark: Mark, _ shown: Locator, _ outcome: Outcome, way: Int = 1, located: Locator? = nil) {
        self.mark = mark
        words = sanitised(shown.description)
        self.outcome = outcome
        self.way = way
        locator = located
    }

    /// Tries the ways of a locator in their order, as a run does.
    private static func outcome(of locator: Locator, on page: RecordedPage) -> (Outcome, way: Int) {
        for (index, way) in locator.ways.enumerated() {
            do throws(LocatorError) {
                let found = try page.document.elements(way).compactMap(page.number)
                if !found.isEmpty { return (.found(found), index + 1) }
            } catch {
                // A row that is missing, or there twice, is another page's: only a text that cannot be read is a fault.
                guard error.kind == .invalid else { continue }
                return (.invalid(sanitised(error.message)), index + 1)
            }
        }
        return (.found([]), 1)
    }
}

extension Locator {
    /// The names that its templates use, each once.
    fileprivate var names: [String] {
        var names: [String] = []
        _ = filling { text in
            for name in Template(text).names where !names.contains(name) { names.append(name) }
            return text
        }
        return names
    }
}

/// The result of a search that each step of a script looks inside, as in a run, and the steps that need nothing to be there.
private struct SearchScopes {
    private var scopes: [Mark: Locator] = [:]
    private var asking: Set<Mark> = []

    init(_ script: BankScript) {
        for steps in [script.steps, script.forEachAccount, script.forEachPeriod] { note(steps, in: nil) }
    }

    private mutating func note(_ steps: [Step], in outer: Locator?) {
        var found = outer
        for step in steps {
            let kind = step.action.kind
            if let mark = step.mark, kind.facts.contains(.declaresFailure) || !kind.blocks.isEmpty {
                asking.insert(mark)
            }
            if let search = step.action.as(SearchStep.self) {
                if case .html(let target, _) = search.pages { found = target }
                continue
            }
            if let found, let mark = step.mark { scopes[mark] = found }
            for block in kind.blocks { note(block.steps, in: found) }
            if step.action.conduct.contains(.bringsPage) { found = nil }
        }
    }

    func mayFindNothing(_ placed: PlacedLocator) -> Bool { placed.mark.map(asking.contains) ?? false }

    /// Returns the locator with the scope that a run gives it, unless it names one itself.
    func scoped(_ placed: PlacedLocator) -> Locator {
        guard let scope = placed.mark.flatMap({ scopes[$0] }) else { return placed.locator }
        var ways = placed.locator.ways.map { $0.scope.isEmpty ? $0.within(scope.ways[0]) : $0 }
        var first = ways.removeFirst()
        first.alternatives = ways
        return first
    }
}
