import Encodings

/// A JSON file with an object of servers.
struct JSONProgramFile: ProgramFileText {
    /// The members that lead to the object of servers.
    let path: [String]
    let namesTransport: Bool

    func adding(_ command: ServerCommand, to text: String) throws -> String {
        let entry = command.json(namingTransport: namesTransport)
        if try Self.object(at: path, in: Self.read(text))?[ServerCommand.key] == entry { return text }
        let text = try removing(from: text) ?? text
        let root = try Self.read(text)
        // Begin with the deepest object of the path that is there.
        for depth in stride(from: path.count, through: 0, by: -1) {
            let known = Array(path.prefix(depth))
            guard try Self.object(at: known, in: root) != nil else { continue }
            let missing = Array(path.dropFirst(depth)) + [ServerCommand.key]
            let value = missing.dropFirst().reversed().reduce(entry) { .object([$1: $0]) }
            let changed = try Self.inserting(missing[0], value, at: known, in: text)
            let expected = Self.setting(path + [ServerCommand.key], to: entry, in: root)
            guard (try? Self.read(changed)) == expected else { throw Self.unsure }
            return changed
        }
        throw Self.unsure
    }

    func removing(from text: String) throws -> String? {
        let root = try Self.read(text)
        guard let servers = try Self.object(at: path, in: root), servers[ServerCommand.key] != nil else { return nil }
        // An object that is empty without the entry goes, too.
        var gone = path + [ServerCommand.key]
        while gone.count > 1, let outer = try Self.object(at: Array(gone.dropLast()), in: root), outer.count == 1 {
            gone.removeLast()
        }
        let changed = try Self.removing(gone, from: text)
        let expected = Self.setting(gone, to: nil, in: root)
        guard (try? Self.read(changed)) == expected else { throw Self.unsure }
        return changed
    }

    private static let unsure = ProgramFileProblem(
        description: "the place of the entry in it cannot be found for certain")

    // MARK: Values

    private static func read(_ text: String) throws -> JSONValue {
        if text.allSatisfy(\.isWhitespace) { return [:] }
        let root: JSONValue
        do {
            root = try JSONReader.read(Array(text.utf8), limits: JSONLimits(size: 8 << 20))
        } catch {
            throw ProgramFileProblem(
                description: "it cannot be read as JSON, which has no comments and no trailing commas (\(error))")
        }
        guard root.objectValue != nil else { throw ProgramFileProblem(description: "it is JSON, but not an object") }
        return root
    }

    /// Returns nil for a member that is missing.
    private static func object(at path: [String], in root: JSONValue) throws -> [String: JSONValue]? {
        var value = root
        for name in path {
            guard let next = value[name] else { return nil }
            guard next.objectValue != nil else {
                throw ProgramFileProblem(description: "“\(name)” in it is not an object")
            }
            value = next
        }
        return value.objectValue
    }

    private static func setting(_ path: [String], to value: JSONValue?, in root: JSONValue) -> JSONValue? {
        guard let name = path.first else { return value }
        var members = root.objectValue ?? [:]
        members[name] = setting(Array(path.dropFirst()), to: value, in: members[name] ?? [:])
        return .object(members)
    }

    // MARK: Text

    private static func inserting(_ name: String, _ value: JSONValue, at path: [String], in text: String) throws
        -> String
    {
        guard !text.allSatisfy(\.isWhitespace) else {
            return "{\n  \(line(name, value, indentation: "  "))\n}\n"
        }
        var bytes = Array(text.utf8)
        var scanner = JSONPlaces(bytes)
        guard let object = scanner.object(at: path) else { throw unsure }
        let outer = String(repeating: "  ", count: path.count)
        let inner = outer + "  "
        let member = "\n" + inner + line(name, value, indentation: inner)
        bytes.insert(contentsOf: Array((member + (object.isEmpty ? "\n" + outer : ",")).utf8), at: object.start + 1)
        if object.isEmpty {
            // White space between the braces would stand behind the new member.
            let rest = object.start + 1 + member.utf8.count + 1 + outer.utf8.count
            bytes.removeSubrange(rest..<(rest + object.end - object.start - 1))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func removing(_ path: [String], from text: String) throws -> String {
        var bytes = Array(text.utf8)
        var scanner = JSONPlaces(bytes)
        guard let name = path.last, let object = scanner.object(at: Array(path.dropLast())),
            let index = object.members.firstIndex(where: { $0.name == name })
        else { throw unsure }
        let member = object.members[index]
        if index + 1 < object.members.count {
            bytes.removeSubrange(member.start..<object.members[index + 1].start)
        } else if index > 0 {
            bytes.removeSubrange(object.members[index - 1].end..<member.end)
        } else {
            bytes.removeSubrange((object.start + 1)..<object.end)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func line(_ name: String, _ value: JSONValue, indentation: String) -> String {
        "\(JSONValue.string(name).compactText()): \(indented(value, indentation))"
    }

    private static func indented(_ value: JSONValue, _ indentation: String) -> String {
        guard let members = value.objectValue, !members.isEmpty else { return value.compactText() }
        let inner = indentation + "  "
        let lines = members.keys.sorted().map { name in inner + line(name, members[name] ?? .null, indentation: inner) }
        return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    }
}

/// The places of objects and their members in a JSON text that is known to be valid.
struct JSONPlaces {
    struct Object: Sendable {
        /// The place of the opening brace.
        var start: Int
        /// The place of the closing brace.
        var end = 0
        var members: [Member] = []

        var isEmpty: Bool { members.isEmpty }
    }

    struct Member: Sendable {
        let name: String
        /// The place of the name's quotation mark.
        let start: Int
        /// The place of the value's first byte, and the one behind its last.
        let value: Int
        let end: Int
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the object that the members of a path lead to.
    mutating func object(at path: [String]) -> Object? {
        place = 0
        skipSpace()
        guard var object = object() else { return nil }
        for name in path {
            guard let member = object.members.first(where: { $0.name == name }) else { return nil }
            place = member.value
            guard let next = self.object() else { return nil }
            object = next
        }
        return object
    }

    private mutating func object() -> Object? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "{") else { return nil }
        var object = Object(start: place)
        place += 1
        skipSpace()
        while place < bytes.count, bytes[place] != UInt8(ascii: "}") {
            let start = place
            skipString()
            guard case .string(let name)? = try? JSONReader.read(Array(bytes[start..<place])) else { return nil }
            skipSpace()
            place += 1  // the colon
            skipSpace()
            let value = place
            skipValue()
            object.members.append(Member(name: name, start: start, value: value, end: place))
            skipSpace()
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
            skipSpace()
        }
        guard place < bytes.count else { return nil }
        object.end = place
        place += 1
        return object
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private mutating func skipString() {
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place += 1
    }

    private mutating func skipValue() {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    place += 1
                    return
                }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return }
            default: break
            }
            place += 1
        }
    }
}
