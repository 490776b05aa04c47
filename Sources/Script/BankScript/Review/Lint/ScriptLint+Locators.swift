import Encodings
import Foundation
import Selectors

// Checks of locators, selectors, paths and patterns.

extension ScriptLint {
    private static let sturdier = "use what a person sees: a label, a button, or text in the row"

    public mutating func check(_ locator: Locator, at mark: Mark?) {
        locators.append(PlacedLocator(locator: locator, mark: mark))
        checkParts(of: locator, at: mark)
    }

    private mutating func checkParts(of locator: Locator, at mark: Mark?) {
        for text in locator.texts { check(Template(text), at: mark) }
        checkTarget(of: locator, at: mark)
        if case .regex(let pattern) = locator.hasText { checkRegex(pattern, at: mark) }
        if locator.nth != nil {
            report(
                "fragile-selector", .warning, "\(locator) depends on positions, which change with the page",
                hint: Self.sturdier, at: mark, about: "nth")
        }
        if let outer = locator.scope.first { checkParts(of: outer, at: mark) }
        for other in locator.alternatives { checkParts(of: other, at: mark) }
    }

    /// Checks a field or a list, and the value for it.
    ///
    /// - Parameter isTyped: false for what a list offers.
    mutating func check(_ field: Locator, filledWith value: Value, at mark: Mark?, isTyped: Bool = true) {
        if case .character = value { checkPlace("position", in: field, at: mark) } else { check(field, at: mark) }
        check(value, at: mark)
        checkLiteral(value, in: field.texts.joined(separator: " "), isTyped ? .field : .list, at: mark)
    }

    private mutating func checkTarget(of locator: Locator, at mark: Mark?) {
        switch locator.target {
        case .css(let selector): checkSelector(selector, at: mark)
        case .xpath(let path): checkXPath(path, at: mark)
        case .field(let match): check(match, of: "field", at: mark)
        case .button(let match): check(match, of: "button", at: mark)
        case .link(let match): check(match, of: "link", at: mark)
        case .control(let match): check(match, of: "button or link", at: mark)
        case .row(let match): check(match, of: "row", at: mark)
        case .cell(let match): check(match, of: "cell", at: mark)
        case .text(let match): check(match, of: "text", at: mark)
        case .heading(let match): check(match, of: "heading", at: mark)
        }
    }

    private mutating func check(_ match: TextMatch, of kind: String, at mark: Mark?) {
        switch match {
        case .regex(let pattern): checkRegex(pattern, at: mark)
        case .exact(let name): checkName(name, of: kind, isExact: true, at: mark)
        case .name(let name): checkName(name, of: kind, isExact: false, at: mark)
        }
    }

    private mutating func checkName(_ name: String, of kind: String, isExact: Bool, at mark: Mark?) {
        if name.allSatisfy(\.isWhitespace) {
            report(
                "empty-name", .error, "the \(kind) has no name",
                hint:
                    "write what a person reads on the page, for example Weiter",
                at: mark)
        } else if isExact {
            return
        } else if name.hasPrefix("$"), String(name.dropFirst()).isIdentifier {
            guard !credentialNames.contains(String(name.dropFirst())) else { return }
            report(
                "secret-place", .error, "“\(name)” is read as the name of a \(kind)",
                hint: "give a credential to a field: fill: { Name of the field: \(name) }; for this very text write "
                    + "{ exact: \"\(name)\" }", at: mark, about: name)
        } else if let first = name.first, let last = name.last, "“„”".contains(first), "“”".contains(last) {
            report(
                "curly-quotes", .warning, "“ and ” are not quotes in YAML, so they belong to the name \(name)",
                hint: "write \"\(name.dropFirst().dropLast())\"", at: mark, about: name)
        } else if Self.looksLikeSelector(name) {
            report(
                "selector-as-name", .warning, "“\(name)” is read as the name of a \(kind)",
                hint: "for a CSS selector write { css: \"\(name)\" }", at: mark, about: name)
        }
    }

    /// Returns whether a name is `.next`, `#next`, `a.next` or `input[name=pin]`: one word, as people do not write it.
    private static func looksLikeSelector(_ name: String) -> Bool {
        guard !name.contains(where: \.isWhitespace), !name.contains("{{") else { return false }
        let rest = name.drop { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let mark = rest.first, ".#[".contains(mark), rest.dropFirst().first?.isLetter == true else {
            return false
        }
        return rest.count == name.count ? mark != "[" : mark == "["
    }

    private mutating func checkSelector(_ selector: String, at mark: Mark?) {
        guard !selector.contains("{{") else { return }
        do {
            _ = try SelectorList(parsing: selector)
        } catch {
            report(
                "selector", .error, "“\(selector)”: \(BracketFault(ofPath: selector)?.description ?? "\(error)")",
                hint: "write a CSS selector, as in the browser's inspector: .notice, #pin, a[href$=\".pdf\"]",
                at: mark, about: selector)
        }
        if let why = fragility(of: selector) {
            report("fragile-selector", .warning, "“\(selector)” \(why)", hint: Self.sturdier, at: mark, about: selector)
        }
    }

    /// Checks that quotes and brackets are closed. Only the engine parses the rest of XPath's grammar.
    private mutating func checkXPath(_ path: String, at mark: Mark?) {
        if let fault = BracketFault(ofPath: path) {
            report(
                "selector", .error, "“\(path)”: \(fault)", hint: "close every quote, [ and (", at: mark, about: path)
        }
        if path.contains(/\[\d+\]|position\(\)|last\(\)/) {
            report(
                "fragile-selector", .warning, "“\(path)” depends on positions, which change with the page",
                hint: Self.sturdier, at: mark, about: path)
        }
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
                "json-path", .error,
                "“\(path.source)” is not a JSONPath: \(BracketFault(ofPath: path.source)?.description ?? error.message)",
                hint: "write for example $.items[0].href",
                at: mark,
                about: path.source)
        }
    }

    mutating func checkRegex(_ pattern: String, at mark: Mark?) {
        guard !pattern.contains("{{"), (try? NSRegularExpression(pattern: pattern)) == nil else { return }
        let fault = BracketFault(ofRegex: pattern)
        report(
            "regex", .error, fault.map { "“\(pattern)”: \($0)" } ?? "“\(pattern)” is not a regular expression",
            hint: fault?.remedy(in: pattern)
                ?? "put something before each *, + and ?; for the character itself write \\* in single quotes",
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

extension Locator {
    /// The texts that may hold templates.
    var texts: [String] {
        var texts: [String] = []
        _ = filling { text in
            texts.append(text)
            return text
        }
        return texts
    }
}
