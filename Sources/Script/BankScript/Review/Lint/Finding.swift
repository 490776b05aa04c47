import Encodings

/// A problem that lint found in a script.
public struct Finding: Sendable, Hashable {
    public enum Severity: String, Sendable, Hashable, Comparable {
        /// The script works today but may break when the page changes.
        case warning
        /// The script cannot work, or must not run.
        case error

        public static func < (left: Severity, right: Severity) -> Bool { left == .warning && right == .error }
    }

    /// The most characters of a message, and of a hint.
    private static let longest = 600

    /// The name of the rule, such as `unknown-name`.
    public var rule: String
    public var severity: Severity
    public var message: String
    /// A suggestion for what to write instead.
    public var hint: String?
    /// The place of the step in the script.
    public var mark: Mark?
    /// The part of the step's text that the finding is about.
    public var subject: String?

    public init(
        _ rule: String, _ severity: Severity, _ message: String, hint: String? = nil, at mark: Mark? = nil,
        about subject: String? = nil
    ) {
        self.rule = rule
        self.severity = severity
        // Both quote the script, whose author may write a line feed or a thousand words into it.
        self.message = message.inLine(limit: Self.longest)
        self.hint = hint?.inLine(limit: Self.longest)
        self.mark = mark
        self.subject = subject
    }

    /// Wraps a syntax error as a finding.
    public init(_ error: ScriptSyntaxError) {
        self.init("syntax", .error, error.message, hint: error.hint, at: error.mark)
    }

    /// Returns the finding with its mark moved to ``subject``, if the step's text contains that word.
    ///
    /// - Parameter text: the script's YAML.
    public func located(in text: String) -> Finding {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if rule == "empty-name", let swallowed = swallowedName(in: lines) { return swallowed }
        guard let mark, let subject, !subject.isEmpty else { return self }
        guard lines.indices.contains(mark.line - 1) else { return self }
        // A step ends before the next list item with the same indentation.
        let column = mark.column ?? 1
        for (offset, line) in lines[(mark.line - 1)...].enumerated() {
            let indent = line.prefix { $0 == " " }.count
            if offset > 0, column > 1, !line.allSatisfy(\.isWhitespace), indent < column - 1 { return self }
            guard let found = line.range(ofWord: subject) else { continue }
            var copy = self
            copy.mark = Mark(
                file: mark.file, line: mark.line + offset,
                column: line.distance(from: line.startIndex, to: found.lowerBound) + 1)
            return copy
        }
        return self
    }
}

extension Finding {
    /// Returns a finding for a name that YAML read as a comment or an anchor: `press: #next`, `follow: &next`.
    private func swallowedName(in lines: [Substring]) -> Finding? {
        guard let mark, lines.indices.contains(mark.line - 1) else { return nil }
        let line = lines[mark.line - 1]
        guard let match = line.firstMatch(of: /: +([#&][^ ,}\]]+)/) else { return nil }
        let word = match.1
        let isComment = word.hasPrefix("#")
        return Finding(
            rule, severity,
            isComment
                ? "“ #” begins a comment, so “\(word)” is not read"
                : "“&” at the beginning of a text is a mark of YAML, so “\(word)” is not read",
            hint: isComment
                ? "for a CSS selector write { css: \"\(word)\" }; for a text write \"\(word)\""
                : "put the text in quotes: \"\(word)\"",
            at: Mark(
                file: mark.file, line: mark.line,
                column: line.distance(from: line.startIndex, to: word.startIndex) + 1), about: nil)
    }
}

extension Substring {
    /// Returns the first place where the text is a whole word, not a part of a longer one.
    fileprivate func range(ofWord word: String) -> Range<Index>? {
        func isInside(_ character: Character?) -> Bool {
            character.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" } ?? false
        }
        return ranges(of: word).first { range in
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : nil
            let after = range.upperBound < endIndex ? self[range.upperBound] : nil
            return !(isInside(before) && isInside(word.first)) && !(isInside(after) && isInside(word.last))
        }
    }
}
