import Encodings

/// A YAML file with a block mapping of servers under one key at its beginning of a line. Scalars are written as JSON, which
/// YAML 1.2 reads.
struct YAMLProgramFile: ProgramFileText {
    let key: String

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        var lines = Self.lines(try removing(from: text) ?? text)
        let place: Int
        var indentation = "  "
        if let start = lines.firstIndex(where: { Self.isKey($0, key) }) {
            guard lines[start].dropFirst(key.count + 1).allSatisfy({ $0 == " " }) else {
                throw ProgramFileProblem(
                    description: "it has “\(key)” in a form that is not changed here; add the entry by hand")
            }
            place = start + 1
            // The new entry stands beside those that are there.
            if let next = lines[place...].first(where: { !$0.isEmpty && !$0.hasPrefix("#") }), next.hasPrefix(" ") {
                indentation = String(next.prefix { $0 == " " })
            }
        } else {
            guard !lines.contains(where: { $0.hasPrefix("{") || $0.hasPrefix("---") || $0.hasPrefix("...") }) else {
                throw ProgramFileProblem(
                    description: "it is YAML in a form that is not changed here; add the entry by hand")
            }
            lines.append("\(key):")
            place = lines.count
        }
        let inner = indentation + "  "
        let arguments = command.arguments.map { "\(inner)  - \(Self.quoted($0))" }
        let entry =
            ["\(indentation)\(ServerCommand.key):", "\(inner)enabled: true", "\(inner)type: stdio"]
            + ["\(inner)name: \(Self.quoted(ServerCommand.key))", "\(inner)cmd: \(Self.quoted(command.program))"]
            + ["\(inner)args:"] + arguments + ["\(inner)timeout: 600"]
        lines.insert(contentsOf: entry, at: place)
        return lines.joined(separator: "\n") + "\n"
    }

    func removing(from text: String) throws -> String? {
        var lines = Self.lines(text)
        guard let start = lines.firstIndex(where: { Self.isKey($0, key) }) else { return nil }
        let end =
            lines[(start + 1)...].firstIndex { !$0.isEmpty && !$0.hasPrefix(" ") && !$0.hasPrefix("#") } ?? lines.count
        guard
            let entry = lines[(start + 1)..<end].firstIndex(where: { line in
                line.drop { $0 == " " } == "\(ServerCommand.key):" && line.hasPrefix(" ")
            })
        else { return nil }
        let depth = lines[entry].prefix { $0 == " " }.count
        let after =
            lines[(entry + 1)..<end].firstIndex { line in !line.isEmpty && line.prefix { $0 == " " }.count <= depth }
            ?? end
        lines.removeSubrange(entry..<after)
        let rest = lines[(start + 1)..<(end - (after - entry))]
        if !rest.contains(where: { $0.hasPrefix(" ") && !$0.drop { $0 == " " }.isEmpty }) { lines.remove(at: start) }
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func isKey(_ line: String, _ key: String) -> Bool { line.hasPrefix("\(key):") }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText() }
}
