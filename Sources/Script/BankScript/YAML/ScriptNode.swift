import Encodings
import Yams

/// A YAML node with its place in the file. It reads itself as the type that a script needs, or throws an error that
/// says what it found instead.
public struct ScriptNode {
    package let node: Node
    package let file: String
    /// The steps that may stand in the file.
    let language: StepList

    /// - Throws: ``ScriptSyntaxError`` if the text is not YAML or is empty.
    package init(yaml text: String, file: String, steps: StepList = .standard) throws(ScriptSyntaxError) {
        // Some editors begin a file with a byte order mark, which the parser takes for a part of the first name.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        let root: Node?
        do {
            // Each reader decides the type of its scalars. Yams' own type detection costs a regular expression per
            // scalar. Its default encoding costs a look at the whole environment, which could change it.
            root = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            throw ScriptSyntaxError(error, in: text, file: file)
        } catch {
            throw ScriptSyntaxError("\(error)", at: Mark(file: file, line: 1))
        }
        guard let root else { throw ScriptSyntaxError("the file is empty", at: Mark(file: file, line: 1)) }
        self.init(node: root, file: file, steps: steps)
        try checkSize()
    }

    /// The maximum number of values in a file. Each use of an alias counts its values again: a few lines of aliases
    /// could otherwise expand to more than fits in memory.
    private static let mostValues = 20_000
    private static let deepest = 64

    private func checkSize() throws(ScriptSyntaxError) {
        var waiting = [(node: node, depth: 1)]
        var count = 0
        while let (node, depth) = waiting.popLast() {
            count += 1
            guard count <= Self.mostValues, depth <= Self.deepest else {
                throw ScriptSyntaxError(
                    "the file is too large for a script", at: with(node).mark,
                    hint: "it may have at most \(Self.mostValues) values, nested at most \(Self.deepest) deep")
            }
            // Avoid `[:]` and `[]` literals of `Node`: each one makes Yams compile its regular expressions.
            switch node {
            case .mapping(let mapping):
                for (key, value) in mapping { waiting += [(key, depth + 1), (value, depth + 1)] }
            case .sequence(let sequence): for item in sequence { waiting.append((item, depth + 1)) }
            case .scalar, .alias: break
            }
        }
    }

    init(node: Node, file: String, steps: StepList) {
        self.node = node
        self.file = file
        language = steps
    }

    public var mark: Mark {
        Mark(file: file, line: node.mark?.line ?? 1, column: node.mark?.column)
    }

    public func error(_ message: String, hint: String? = nil) -> ScriptSyntaxError {
        ScriptSyntaxError(message, at: mark, hint: hint)
    }

    private func with(_ node: Node) -> ScriptNode { ScriptNode(node: node, file: file, steps: language) }

    public var isMapping: Bool { node.mapping != nil }
    public var isSequence: Bool { node.sequence != nil }
    public var isNull: Bool { node.null != nil }

    /// The scalar's text as written.
    public var scalar: String? { node.scalar?.string }

    public func text(_ what: String) throws(ScriptSyntaxError) -> String {
        guard let text = scalar else {
            throw isBarePlaceholder(asName: what == "a name")
                ? error("a text that begins with “{{” needs quotes", hint: "put the whole text in quotes")
                : error("\(what) must be a text, but this is \(kind)")
        }
        return text
    }

    /// True for `{{ name }}` without quotes, or its inside: YAML reads a mapping with a mapping as its name.
    private func isBarePlaceholder(asName isName: Bool) -> Bool {
        guard case .mapping(let mapping) = node, mapping.count == 1, let (key, value) = mapping.first else {
            return false
        }
        // A mapping without braces begins where its first name does. The parser does not tell the style.
        let hasBraces = mapping.mark?.column != key.mark?.column
        guard hasBraces, value.scalar?.string.isEmpty ?? false else { return false }
        return isName || key.mapping != nil
    }

    public func items(_ what: String) throws(ScriptSyntaxError) -> [ScriptNode] {
        guard let sequence = node.sequence else {
            throw error("\(what) must be a list, but this is \(kind)", hint: "begin each item with “- ”")
        }
        return sequence.map(with)
    }

    /// Returns the members in the order of the file.
    public func members(_ what: String) throws(ScriptSyntaxError) -> [(key: ScriptNode, value: ScriptNode)] {
        guard let mapping = node.mapping else { throw error("\(what) must have named parts, but this is \(kind)") }
        return mapping.map { (with($0.key), with($0.value)) }
    }

    /// Returns the members by name, those that ``parts`` lists for `what` and `others`.
    func fields(
        _ what: String, besides others: [String] = [], example: String? = nil
    ) throws(ScriptSyntaxError) -> [String: ScriptNode] {
        try fields(what, known: (Self.parts[what] ?? []) + others, example: example)
    }

    /// Returns the members by name. A name that is not in `known` is an error that suggests the nearest known one.
    public func fields(
        _ what: String, known: [String], example: String? = nil
    ) throws(ScriptSyntaxError) -> [String: ScriptNode] {
        var result: [String: ScriptNode] = [:]
        for (key, value) in try members(what) {
            let name = try key.text("a name")
            guard known.contains(name) else {
                let hint =
                    (Self.meant[name.lowercased()].flatMap { known.contains($0) ? $0 : nil }
                    ?? nearest(to: name, among: known)).map { "did you mean “\($0)”?" }
                    ?? example.map { "write for example \($0)" } ?? "it can have: \(known.joined(separator: ", "))"
                throw key.error("\(what) has no part “\(name)”", hint: hint)
            }
            guard result.updateValue(value, forKey: name) == nil else { throw key.error("“\(name)” is given twice") }
        }
        return result
    }

    public func whole(_ what: String, in range: ClosedRange<Int>) throws(ScriptSyntaxError) -> Int {
        guard let text = scalar, let number = Int(text), range.contains(number) else {
            throw error("\(what) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    public func flag(_ what: String) throws(ScriptSyntaxError) -> Bool {
        switch scalar {
        case "true", "yes": return true
        case "false", "no": return false
        default: throw error("\(what) must be true or false")
        }
    }

    /// Reads `1..12` or one number.
    public func range(_ what: String) throws(ScriptSyntaxError) -> ClosedRange<Int> {
        let halves = try text(what).replacing("–", with: "..").split(separator: "..").map { Int($0.trimmed) }
        guard let first = halves.first ?? nil, let last = halves.last ?? nil, halves.count <= 2, first <= last else {
            throw error("\(what) must be a range of whole numbers", hint: "write a range such as 1..12")
        }
        return first...last
    }

    /// Reads `2 min`, `30 s` or `500 ms`.
    public func duration(_ what: String) throws(ScriptSyntaxError) -> Duration {
        let written = try text(what)
        let digits = written.prefix(while: \.isNumber)
        guard let count = Int(digits), count > 0, count < 1_000_000 else {
            throw error("\(what) must be a length of time", hint: "write a time such as 30 s or 2 min")
        }
        switch written.dropFirst(digits.count).trimmed {
        case "ms": return .milliseconds(count)
        case "s", "sec", "second", "seconds": return .seconds(count)
        case "min", "minute", "minutes": return .minutes(count)
        case "": throw error("“\(written)” has no unit", hint: "write ms, s or min after the number")
        default: throw error("“\(written)” has an unknown unit", hint: "write ms, s or min after the number")
        }
    }

    /// Reads `64 MB`, `500 kB` or a number of bytes. One kB is 1,024 bytes.
    public func size(_ what: String) throws(ScriptSyntaxError) -> Int {
        let written = try text(what)
        let digits = written.prefix(while: \.isNumber)
        guard let count = Int(digits), count > 0, count <= 1 << 32 else {
            throw error("\(what) must be a number of bytes", hint: "write a size such as 64 MB")
        }
        switch written.dropFirst(digits.count).trimmed.lowercased() {
        case "", "b", "bytes": return count
        case "kb", "kib": return count << 10
        case "mb", "mib": return count << 20
        default: throw error("“\(written)” has an unknown unit", hint: "write kB or MB after the number")
        }
    }

    private var kind: String {
        if node.mapping != nil { return "a set of named parts" }
        if node.sequence != nil { return "a list" }
        return isNull ? "empty" : "the text “\(scalar ?? "")”"
    }
}
