import Encodings

/// A table's name or a key with its value, in TOML 1.0 without texts in several lines. A value may go over several lines.
struct TOMLStatement: Hashable {
    enum Kind: Hashable {
        case table([String])
        case arrayOfTables([String])
        /// The path is from the file's root.
        case value([String])
    }

    let kind: Kind
    /// The lines of the file.
    let lines: Range<Int>

    var path: [String] {
        switch kind {
        case .table(let path), .arrayOfTables(let path), .value(let path): path
        }
    }

    var isHeader: Bool {
        if case .value = kind { false } else { true }
    }

    /// - Throws: ``ProgramFileProblem`` that names the line which is not understood.
    static func all(in lines: [FileLines.Line]) throws -> [TOMLStatement] {
        var statements: [TOMLStatement] = []
        var table: [String] = []
        var next = 0
        while next < lines.count {
            let start = next
            var line = TOMLLine(lines[start].words)
            next += 1
            if line.isOver { continue }
            let kind: Kind?
            if line.skip("[") {
                let isArray = line.skip("[")
                let path = line.path()
                let isClosed = line.skip("]") && (!isArray || line.skip("]"))
                table = path ?? []
                kind = isClosed && line.isOver ? path.map { isArray ? .arrayOfTables($0) : .table($0) } : nil
            } else {
                let path = line.path()
                guard line.skip("="), var depth = line.depth(after: 0) else { throw unknown(start) }
                while depth > 0 {
                    guard next < lines.count else { throw unknown(start) }
                    var more = TOMLLine(lines[next].words)
                    guard let after = more.depth(after: depth) else { throw unknown(next) }
                    depth = after
                    next += 1
                }
                kind = path.map { .value(table + $0) }
            }
            guard let kind else { throw unknown(start) }
            statements.append(TOMLStatement(kind: kind, lines: start..<next))
        }
        return statements
    }

    private static func unknown(_ line: Int) -> ProgramFileProblem {
        ProgramFileProblem(description: "its line \(line + 1) has a form that is not read here")
    }
}

/// The rest of a line, which is read by bytes: a character of Swift may hold a quotation mark and an accent.
private struct TOMLLine {
    private var rest: Substring.UTF8View

    init(_ words: String) { rest = Substring(words).utf8 }

    /// True when nothing but white space and a comment is left.
    var isOver: Bool {
        mutating get {
            skipSpace()
            return rest.isEmpty || rest.first == UInt8(ascii: "#")
        }
    }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// Reads names with dots between them; nil for anything else.
    mutating func path() -> [String]? {
        var names: [String] = []
        repeat {
            skipSpace()
            guard let name = name() else { return nil }
            names.append(name)
            skipSpace()
        } while skip(".")
        return names
    }

    private mutating func name() -> String? {
        let start = rest
        if rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") {
            guard skipText(), let quoted = String(start[..<rest.startIndex]) else { return nil }
            if quoted.utf8.first == UInt8(ascii: "'") { return String(quoted.utf8.dropFirst().dropLast()) }
            // The escapes of JSON are TOML's, but for two, which are not read.
            return (try? JSONReader.read(Array(quoted.utf8)))?.stringValue
        }
        rest = rest.drop { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let bare = start[..<rest.startIndex]
        return bare.isEmpty ? nil : String(bare)
    }

    /// Reads a text with its quotation marks.
    private mutating func skipText() -> Bool {
        let mark = rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == mark { return true }
            if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") { _ = rest.popFirst() }
        }
        return false
    }

    /// Reads the rest of the line, and returns how many brackets are open behind it; nil for a text that does not end, or for
    /// a bracket that nothing opened.
    mutating func depth(after depth: Int) -> Int? {
        var depth = depth
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "#"): return depth
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard skipText() else { return nil }
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth < 0 { return nil }
            default: break
            }
            rest.removeFirst()
        }
        return depth
    }
}
