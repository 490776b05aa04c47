import Encodings

/// A TOML file with one table for each server, as TOML 1.0 writes tables: a line with its name in brackets.
struct TOMLProgramFile: ProgramFileText {
    let table: String

    /// The name of the entry's table.
    private var entry: String { "\(table).\(ServerCommand.key)" }

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        let arguments = command.arguments.map(Self.quoted).joined(separator: ", ")
        let added = "[\(entry)]\ncommand = \(Self.quoted(command.program))\nargs = [\(arguments)]\n"
        if text == added || text.contains("\n" + added) { return text }
        var text = try removing(from: text) ?? text
        guard !hasOtherForm(try Self.lines(text)) else { throw otherForm }
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        if !text.isEmpty, !text.hasSuffix("\n\n") { text += "\n" }
        return text + added
    }

    func removing(from text: String) throws -> String? {
        var lines = try Self.lines(text)
        guard let start = lines.firstIndex(where: { $0.trimmingSpaces == "[\(entry)]" }) else {
            guard !text.contains(ServerCommand.key) || !hasOtherForm(lines) else { throw otherForm }
            return nil
        }
        // The tables within the entry's table are the entry's, too.
        var end =
            lines[(start + 1)...].firstIndex { line in
                Self.header(line).map { !$0.hasPrefix("\(entry).") } ?? false
            } ?? lines.count
        // A comment above the next table is that table's.
        while end > start + 1, lines[end - 1].trimmingSpaces.hasPrefix("#") { end -= 1 }
        lines.removeSubrange(start..<end)
        let isLast = start == lines.count
        if isLast {
            while lines.last?.isEmpty == true { lines.removeLast() }
            if !lines.isEmpty { lines.append("") }
        }
        return lines.joined(separator: "\n")
    }

    /// - Throws: ``ProgramFileProblem`` for texts in several lines, which look like any others, and for lines that end with CR
    ///   LF, which `String` takes for one character.
    private static func lines(_ text: String) throws -> [String] {
        guard !text.contains("\"\"\""), !text.contains("'''"), !text.utf8.contains(UInt8(ascii: "\r")) else {
            throw ProgramFileProblem(description: "it has texts in several lines, or lines that end with CR LF")
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private var otherForm: ProgramFileProblem {
        ProgramFileProblem(description: "it has “\(table)” in a form that is not changed here")
    }

    /// Returns whether the servers, or the entry, stand in another form than a table of their own, which a table of that name
    /// would contradict.
    private func hasOtherForm(_ lines: [String]) -> Bool {
        var place = ""
        return lines.contains { line in
            if let header = Self.header(line) {
                place = header
                return header.hasPrefix("[\(table)") || header == entry || header.hasPrefix("\(entry).")
            }
            guard let key = Self.key(line) else { return false }
            let path = place.isEmpty ? key : "\(place).\(key)"
            return path == table || path == entry || path.hasPrefix("\(entry).")
                || key.contains("\\") && (place.isEmpty || place == table)
        }
    }

    /// Returns the name of a table's line without quotation marks and white space; that of an array of tables begins with a
    /// bracket. Nil for another line.
    private static func header(_ line: String) -> String? {
        let words = line.trimmingSpaces
        guard words.hasPrefix("["), let end = words.firstIndex(of: "]") else { return nil }
        return name(words[words.index(after: words.startIndex)..<end])
    }

    /// Returns the name before an equals sign, without quotation marks and white space; nil for a line without one.
    private static func key(_ line: String) -> String? {
        let words = line.trimmingSpaces
        guard !words.hasPrefix("#"), let end = words.firstIndex(of: "=") else { return nil }
        return name(words[..<end])
    }

    private static func name(_ text: Substring) -> String { text.filter { !" \t\"'".contains($0) } }

    /// Returns a basic string: TOML has the escapes of JSON for it.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText() }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
