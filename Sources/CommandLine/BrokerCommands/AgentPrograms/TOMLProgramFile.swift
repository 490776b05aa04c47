import Encodings

/// A TOML file with one table for each server, as TOML 1.0 writes tables: a line with its name in brackets. What a change has
/// made is read again: everything else must be as before.
struct TOMLProgramFile: ProgramFileText {
    let table: String

    /// The path of the entry's table.
    private var entry: [String] { [table, ServerCommand.key] }
    /// The line that begins the entry.
    private var heading: String { "[\(table).\(ServerCommand.key)]" }

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        let before = try content(of: text)
        let arguments = command.arguments.map(Self.quoted).joined(separator: ", ")
        let added = [heading, "command = \(Self.quoted(command.program))", "args = [\(arguments)]"]
        // The entry is there already, and may have lines that its user has added.
        if let start = before.entry.firstIndex(of: heading), before.entry[start...].starts(with: added) { return text }
        var file = Self.file(try removing(from: text) ?? text)
        file.endLast()
        if file.lines.last?.isBlank == false { file.lines += file.made([""]) }
        file.lines += file.made(added)
        let after = try? content(of: file.text)
        guard let after, after.entry == added, after.rest == before.rest else { throw otherForm }
        return file.text
    }

    func removing(from text: String) throws -> String? {
        let before = try content(of: text)
        guard !before.entry.isEmpty else { return nil }
        var file = Self.file(text)
        let lines = file.lines
        let statements = try TOMLStatement.all(in: lines)
        // From the last to the first, so that the places of those before it stay right.
        for (index, statement) in statements.enumerated().reversed() where isOfEntry(statement) {
            let next = index + 1 < statements.count ? statements[index + 1] : nil
            var end = next?.lines.lowerBound ?? lines.count
            // A comment above the next table is that table's.
            if let next, !isOfEntry(next) {
                while end > statement.lines.upperBound, Self.isComment(lines[end - 1]) { end -= 1 }
            }
            file.lines.removeSubrange(statement.lines.lowerBound..<end)
        }
        if statements.last.map(isOfEntry) == true { file.removeLastBlankLines() }
        let after = try? content(of: file.text)
        guard let after, after.entry.isEmpty, after.rest == before.rest else { throw otherForm }
        return file.text
    }

    /// Returns what the text says: the lines of the entry's tables, wherever they stand, and those of everything else.
    ///
    /// - Throws: ``ProgramFileProblem`` for a text that is not read here, and for servers, or an entry, in another form than a
    ///   table of their own, which a table of that name would contradict.
    private func content(of text: String) throws -> (entry: [String], rest: [String]) {
        guard !text.contains("\"\"\""), !text.contains("'''"), !text.contains("\r" as Character) else {
            throw ProgramFileProblem(description: "it has texts in several lines, or carriage returns alone")
        }
        let lines = Self.file(text).lines
        let statements = try TOMLStatement.all(in: lines)
        var entry: [String] = []
        var rest: [String] = []
        var headings = 0
        var isInEntry = false
        for statement in statements {
            let words = lines[statement.lines].map(\.words)
            if statement.isHeader { isInEntry = isOfEntry(statement) }
            switch statement.kind {
            case .table(self.entry):
                guard words[0].filter({ $0 != " " && $0 != "\t" }) == heading else { throw otherForm }
                headings += 1
            case .arrayOfTables([table]), .arrayOfTables(self.entry), .value([table]): throw otherForm
            case .value(let path) where !isInEntry && path.starts(with: self.entry): throw otherForm
            default: break
            }
            if isInEntry { entry += words } else { rest += words }
        }
        guard headings == 1 || entry.isEmpty else { throw otherForm }
        return (entry, rest)
    }

    /// Returns whether this is the entry's table or one within it, or a value of one.
    private func isOfEntry(_ statement: TOMLStatement) -> Bool { statement.path.starts(with: entry) }

    private var otherForm: ProgramFileProblem {
        ProgramFileProblem(description: "it has “\(table)” in a form that is not changed here")
    }

    private static func file(_ text: String) -> FileLines { FileLines(text, endingWith: ["\n", "\r\n"]) }

    private static func isComment(_ line: FileLines.Line) -> Bool {
        line.words.drop { $0 == " " || $0 == "\t" }.hasPrefix("#")
    }

    /// Returns a basic string: TOML has the escapes of JSON for it.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText() }
}
