import Encodings
import Yams

/// A YAML file with a block mapping of servers under one key at its beginning of a line. Scalars are written as JSON, which
/// YAML 1.2 reads. What a change has made is read again, because YAML has more forms than are looked for here.
struct YAMLProgramFile: ProgramFileText {
    let key: String

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        var file = Self.file(try removing(from: text) ?? text)
        let lines = file.lines.map(\.words)
        file.endLast()
        let place: Int
        var indentation = "  "
        if let start = lines.firstIndex(where: { Self.isKey($0, key) }) {
            guard lines[start].dropFirst(key.count + 1).allSatisfy({ $0 == " " }) else { throw otherForm }
            place = start + 1
            // The new entry stands beside those that are there.
            if let next = lines[place...].first(where: { !$0.isEmpty && !$0.hasPrefix("#") }), next.hasPrefix(" ") {
                indentation = String(next.prefix { $0 == " " })
            }
        } else {
            guard !lines.contains(where: { $0.hasPrefix("{") || $0.hasPrefix("---") || $0.hasPrefix("...") }) else {
                throw otherForm
            }
            file.lines += file.made(["\(key):"])
            place = file.lines.count
        }
        let inner = indentation + "  "
        let arguments = command.arguments.map { "\(inner)  - \(Self.quoted($0))" }
        let entry =
            ["\(indentation)\(ServerCommand.key):", "\(inner)enabled: true", "\(inner)type: stdio"]
            + ["\(inner)name: \(Self.quoted(ServerCommand.key))", "\(inner)cmd: \(Self.quoted(command.program))"]
            + ["\(inner)args:"] + arguments + ["\(inner)timeout: 600"]
        file.lines.insert(contentsOf: file.made(entry), at: place)
        let before = try content(of: text)
        guard let after = try? content(of: file.text), after.entry != nil, after.rest == before.rest else {
            throw otherForm
        }
        return file.text
    }

    func removing(from text: String) throws -> String? {
        let before = try content(of: text)
        guard before.entry != nil else { return nil }
        guard let changed = withoutLines(of: text) else { throw otherForm }
        guard let after = try? content(of: changed), after.entry == nil, after.rest == before.rest else {
            throw otherForm
        }
        return changed
    }

    private func withoutLines(of text: String) -> String? {
        var file = Self.file(text)
        let lines = file.lines.map(\.words)
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
        file.lines.removeSubrange(entry..<after)
        let rest = lines[(start + 1)..<entry] + lines[after..<end]
        if !rest.contains(where: { $0.hasPrefix(" ") && !$0.drop { $0 == " " }.isEmpty }) {
            file.lines.remove(at: start)
        }
        file.endLast()
        return file.text
    }

    private var otherForm: ProgramFileProblem {
        ProgramFileProblem(description: "it has “\(key)” in a form that is not changed here")
    }

    /// Returns what the text says: the server's entry, and everything else. A list without members counts as missing.
    private func content(of text: String) throws -> (entry: Node?, rest: Node) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw ProgramFileProblem(description: "it cannot be read as YAML")
        }
        guard var members = root.map(\.mapping) ?? Node.Mapping([]) else {
            throw ProgramFileProblem(description: "it is YAML, but not a mapping")
        }
        guard let list = members[Node(key)] else { return (nil, .mapping(members)) }
        let isNothing = list.scalar.map { ["", "~", "null"].contains($0.string) } ?? false
        guard var servers = isNothing ? Node.Mapping([]) : list.mapping else { throw otherForm }
        let entry = servers[Node(ServerCommand.key)]
        servers[Node(ServerCommand.key)] = nil
        members[Node(key)] = servers.isEmpty ? nil : .mapping(servers)
        return (entry, .mapping(members))
    }

    /// The lines as libyaml takes them apart, without blank ones at the end.
    private static func file(_ text: String) -> FileLines {
        var file = FileLines(text, endingWith: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"])
        while file.lines.last?.words.isEmpty == true { file.lines.removeLast() }
        return file
    }

    private static func isKey(_ line: String, _ key: String) -> Bool { line.hasPrefix("\(key):") }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).compactText() }
}
