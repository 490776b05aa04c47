import Encodings

/// A TOML file with one table for each server, as TOML 1.0 writes tables: a line with its name in brackets.
struct TOMLProgramFile: ProgramFileText {
    let table: String

    private var header: String { "[\(table).\(ServerCommand.key)]" }

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        var text = try removing(from: text) ?? text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // An inline table, or one whose name is written in another way, cannot be extended by a table of its own.
        let inline = lines.contains { line in
            let words = line.drop { $0 == " " || $0 == "\t" }
            return words.hasPrefix(table)
                && words.dropFirst(table.count).drop { $0 == " " || $0 == "\t" }.hasPrefix("=")
                || words.hasPrefix("[") && words.contains(ServerCommand.key) && words.contains(table)
        }
        guard !inline, !text.contains("\"\"\""), !text.contains("'''") else {
            throw ProgramFileProblem(
                description: "it has “\(table)” in a form that is not changed here; add the entry by hand")
        }
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        if !text.isEmpty, !text.hasSuffix("\n\n") { text += "\n" }
        let arguments = command.arguments.map(Self.quoted).joined(separator: ", ")
        return text + "\(header)\ncommand = \(Self.quoted(command.program))\nargs = [\(arguments)]\n"
    }

    func removing(from text: String) throws -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(where: { $0.trimmingSpaces == header }) else { return nil }
        let end = lines[(start + 1)...].firstIndex { $0.trimmingSpaces.hasPrefix("[") } ?? lines.count
        lines.removeSubrange(start..<end)
        let isLast = start == lines.count
        if isLast {
            while lines.last?.isEmpty == true { lines.removeLast() }
            if !lines.isEmpty { lines.append("") }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a basic string: TOML has the escapes of JSON for it.
    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText() }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
    }
}
