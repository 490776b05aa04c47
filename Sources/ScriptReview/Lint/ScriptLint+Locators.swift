import BankScript
import Foundation
import JSON
import Selectors

// Checks of locators, selectors, paths and patterns.

extension ScriptLint {
    private static let sturdier = "use what a person sees: a label, a button, or text in the row"

    mutating func check(_ locator: Locator, at mark: Mark?) {
        for text in locator.texts { check(Template(text), at: mark) }
        checkTarget(of: locator, at: mark)
        if case .regex(let pattern) = locator.hasText { checkRegex(pattern, at: mark) }
        if locator.nth != nil {
            report(
                "fragile-selector", .warning, "\(locator) depends on positions, which change with the page",
                hint: Self.sturdier, at: mark, about: "nth")
        }
        if let outer = locator.scope.first { check(outer, at: mark) }
        for other in locator.alternatives { check(other, at: mark) }
    }

    private mutating func checkTarget(of locator: Locator, at mark: Mark?) {
        switch locator.target {
        case .css(let selector): checkSelector(selector, at: mark)
        case .xpath(let path): checkXPath(path, at: mark)
        case .field(let match), .button(let match), .link(let match), .control(let match), .row(let match),
            .cell(let match), .text(let match), .heading(let match):
            switch match {
            case .regex(let pattern): checkRegex(pattern, at: mark)
            case .name(let name), .exact(let name):
                if name.allSatisfy(\.isWhitespace) {
                    report(
                        "empty-name", .error, "\(locator) has an empty name", hint: Self.sturdier, at: mark)
                }
            }
        }
    }

    private mutating func checkSelector(_ selector: String, at mark: Mark?) {
        guard !selector.contains("{{") else { return }
        do {
            _ = try SelectorList(parsing: selector)
        } catch {
            report(
                "selector", .error, "“\(selector)”: \(error)",
                hint: "write a CSS selector, as in the browser's inspector: .notice, #pin, a[href$=\".pdf\"]",
                at: mark, about: selector)
        }
        if let why = fragility(of: selector) {
            report("fragile-selector", .warning, "“\(selector)” \(why)", hint: Self.sturdier, at: mark, about: selector)
        }
    }

    /// Checks that quotes and brackets are closed. Only the engine parses the rest of XPath's grammar.
    private mutating func checkXPath(_ path: String, at mark: Mark?) {
        if let fault = Self.imbalance(of: path) {
            report(
                "selector", .error, "“\(path)”: \(fault)", hint: "close every quote, [ and (", at: mark, about: path)
        }
        if path.contains(/\[\d+\]|position\(\)|last\(\)/) {
            report(
                "fragile-selector", .warning, "“\(path)” depends on positions, which change with the page",
                hint: Self.sturdier, at: mark, about: path)
        }
    }

    private static func imbalance(of path: String) -> String? {
        var open: [Character] = []
        var quote: Character?
        for character in path {
            if let inside = quote {
                if character == inside { quote = nil }
                continue
            }
            switch character {
            case "'", "\"": quote = character
            case "[": open.append("]")
            case "(": open.append(")")
            case "]", ")":
                guard open.popLast() == character else { return "a “\(character)” has no opening bracket" }
            default: break
            }
        }
        if quote != nil { return "a quote is not closed" }
        return open.last.map { "a “\($0)” is missing" }
    }

    mutating func checkJSONPath(_ path: Template, at mark: Mark?) {
        check(path, at: mark)
        guard let parts = try? path.parts() else { return }
        // Stand in a number for each placeholder, because parameters are numbers.
        let sample = parts.map { if case .text(let text) = $0 { text } else { "1" } }.joined()
        do {
            _ = try JSONPath(sample)
        } catch {
            report(
                "json-path", .error, "“\(path.source)” is not a JSONPath: \(error)",
                hint: "write a path such as $.items[0].href",
                at: mark,
                about: path.source)
        }
    }

    mutating func checkRegex(_ pattern: String, at mark: Mark?) {
        guard !pattern.contains("{{"), (try? NSRegularExpression(pattern: pattern)) == nil else { return }
        report(
            "regex", .error, "“\(pattern)” is not a regular expression",
            hint: "close every ( and [, and write \\( for a parenthesis",
            at: mark, about: pattern)
    }

    private func fragility(of selector: String) -> String? {
        if [":nth-", ":first-", ":last-", ":only-"].contains(where: selector.contains) {
            return "depends on positions, which change with the page"
        }
        guard Self.namesMadeUpClass(selector) else { return nil }
        return "uses a generated class name, which changes with the bank's next release"
    }

    /// Returns whether a class or an id looks like `css-1q2w3e4`, `jss12345` or `Button_a1b2c3`. Avoids regular
    /// expressions: the first one in a process takes as long as reading the script.
    private static func namesMadeUpClass(_ selector: String) -> Bool {
        selector.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "#" }.dropFirst().contains { rest in
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            return beginsAsGenerated(name) || endsInHash(name)
        }
    }

    private static func isDigitOrLetter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Returns whether the name is the prefix of a style library followed by five letters or digits.
    private static func beginsAsGenerated(_ name: Substring) -> Bool {
        ["css", "sc", "jss", "emotion", "Mui"].contains { library in
            guard name.hasPrefix(library) else { return false }
            var rest = name.dropFirst(library.count)
            if let first = rest.first, first == "-" || first == "_" { rest = rest.dropFirst() }
            if rest.prefix(while: isDigitOrLetter).count >= 5 { return true }
            let afterWord = rest.drop { $0.isASCII && $0.isLetter }
            return afterWord.first == "-" && afterWord.dropFirst().prefix(while: isDigitOrLetter).count >= 5
        }
    }

    /// Returns whether a hyphen or an underscore is followed by a digit and at least three more letters or digits.
    private static func endsInHash(_ name: Substring) -> Bool {
        name.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.dropFirst().contains { part in
            let run = part.prefix(while: isDigitOrLetter)
            return run.dropLast(3).contains(where: \.isNumber)
        }
    }
}
