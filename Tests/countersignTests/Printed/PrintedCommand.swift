import Encodings
import TestSupport
import Testing

/// A command line as it stands in a sentence, and what is wrong with it.
struct PrintedCommand {
    /// Its words, up to where the sentence goes on.
    var line: String { words.joined(separator: " ") }
    private(set) var words = ["countersign"]
    private(set) var problem: String?

    /// The part of a text behind “countersign ”, where a command may begin; empty where none can.
    static func places(in text: String) -> [Substring] {
        text.ranges(of: "countersign ").compactMap { range in
            if range.lowerBound > text.startIndex {
                let before = text[text.index(before: range.lowerBound)]
                guard !before.isLetter, !before.isNumber, !"_/.@:-".contains(before) else { return nil }
            }
            let rest = text[range.upperBound...]
            guard let first = rest.first, first.isLetter && first.isLowercase || first == "-" else { return nil }
            // Beside a folder, it is one itself.
            return rest.prefix { $0 != " " }.contains("/") ? nil : rest
        }
    }

    /// - Parameter text: what stands behind “countersign ”.
    init(_ text: Substring, of commands: ProgramCommand) {
        problem = read(Self.words(of: text), commands)
    }

    private mutating func read(_ said: [String], _ root: ProgramCommand) -> String? {
        var command = root
        var rest = said[...]
        // A value that only a running program knows may be any number of words.
        var isOpen = false
        while let word = rest.first {
            let name = String(word.prefix { $0 != SwiftLiterals.gap })
            guard let below = command.subcommands[name] else { break }
            command = below
            isOpen = name != word
            words.append(word)
            rest.removeFirst()
            if isOpen { break }
        }
        let path = words.joined(separator: " ").filter { $0 != SwiftLiterals.gap }
        if rest.first?.contains(SwiftLiterals.gap) == true, !command.subcommands.isEmpty { return nil }
        if !command.subcommands.isEmpty, !isOpen {
            if let word = rest.first, !word.hasPrefix("-"), command.standard == nil {
                words.append(word)
                return "\(path) has no command \(word)"
            }
            if rest.isEmpty, command.standard == nil { return "\(path) needs a command" }
        }
        var given: Set<String> = []
        var count = 0
        while let word = rest.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else {
                if word.contains(SwiftLiterals.gap) { isOpen = true }
                if word == String(SwiftLiterals.gap) {
                    words.append(word)
                    continue
                }
                guard Self.isArgument(word, missing: count < command.required.count, of: command) else { break }
                words.append(word)
                count += 1
                if let most = command.most, count > most { return "\(path) takes \(most.counted("argument"))" }
                continue
            }
            words.append(word)
            isOpen = isOpen || word.contains(SwiftLiterals.gap)
            let name = String(word.prefix { $0 != "=" && $0 != SwiftLiterals.gap })
            guard let option = command.options[name] else {
                if isOpen { continue }
                return "\(path) has no option \(name)"
            }
            given.insert(option.name)
            guard option.takesValue, !word.contains("="), !word.contains(SwiftLiterals.gap) else { continue }
            guard let value = rest.first, value == "-" || !value.hasPrefix("-"), !Self.sentence.contains(value) else {
                return "\(name) needs a value"
            }
            repeat { words.append(rest.removeFirst()) } while option.takesSeveral && rest.first?.hasPrefix("-") == false
        }
        guard !isOpen else { return nil }
        if count < command.required.count { return "\(path) needs \(command.required[count])" }
        return command.requiredOptions.first { !given.contains($0) }.map { "\(path) needs \($0)" }
    }

    // MARK: Values in place of words such as FILE

    /// Returns the arguments with a value in place of each part that stands for one.
    ///
    /// - Parameter values: by the name of the option or of the argument, with the command before it where the name alone would
    ///   not do; it gets both.
    func filled(_ program: ProgramCommand, _ value: (_ path: String, _ name: String) -> String?) -> [String] {
        var command = program
        var filled: [String] = []
        var rest = words.dropFirst()
        while let word = rest.first, let below = command.subcommands[word.filter { $0 != SwiftLiterals.gap }] {
            command = below
            filled.append(word.filter { $0 != SwiftLiterals.gap })
            rest.removeFirst()
        }
        let path = filled.joined(separator: " ")
        var count = 0
        while let word = rest.popFirst() {
            if word.hasPrefix("-"), word != "-" {
                let name = String(word.prefix { $0 != "=" && $0 != SwiftLiterals.gap })
                filled.append(name)
                guard let option = command.options[name], option.takesValue else { continue }
                var said = word.contains("=") ? [String(word.drop { $0 != "=" }.dropFirst())] : []
                while said.isEmpty || option.takesSeveral, let next = rest.first, !next.hasPrefix("-") || next == "-" {
                    said.append(next)
                    rest.removeFirst()
                }
                if said.isEmpty { said = [""] }
                filled += said.map { Self.value($0, path, String(name.drop { $0 == "-" }), value) }
                continue
            }
            let name = count < command.arguments.count ? command.arguments[count] : command.arguments.last
            // A part of a sentence that only a running program knows, behind a command that takes nothing.
            guard let name else { continue }
            filled.append(Self.value(word, path, name, value))
            count += 1
        }
        while count < command.required.count {
            filled.append(Self.value("FILE", path, command.required[count], value))
            count += 1
        }
        return filled.filter { !$0.isEmpty }
    }

    private static func value(
        _ word: String, _ path: String, _ name: String, _ value: (_ path: String, _ name: String) -> String?
    ) -> String {
        let plain = word.filter { $0 != SwiftLiterals.gap }
        let standsForOne =
            plain != word || plain.allSatisfy { $0.isUppercase || "-_|".contains($0) } && plain != "-"
            || ["<", "$", "["].contains(plain.first)
        guard standsForOne else { return word }
        return value(path, name) ?? "NO VALUE FOR \(path) \(name)"
    }

    // MARK: Where a sentence goes on

    /// The words up to the first sign that ends a command line.
    private static func words(of text: Substring) -> [String] {
        var words: [String] = []
        for said in text.prefix(while: { !"\n`“”\\".contains($0) }).split(
            separator: " ", omittingEmptySubsequences: false)
        {
            // Two spaces part a command from what a list says about it.
            guard let first = said.first, !"(|<>&".contains(first), !said.contains(">") || said.contains("<") else {
                break
            }
            var word = said
            if let tag = word.firstRange(of: "</") { word = word[..<tag.lowerBound] }
            let hasEnded = word.endIndex != said.endIndex
            while let first = word.first, "'\"".contains(first) { word.removeFirst() }
            var isLast = hasEnded
            while let end = word.last, ",;:.!?)…'\"’»".contains(end) {
                isLast = isLast || end != "'"
                word.removeLast()
            }
            if !word.isEmpty { words.append(String(word)) }
            if isLast { break }
        }
        return words
    }

    /// Words which no argument is, and with which a sentence goes on.
    private static let sentence: Set<String> = [
        "again", "and", "anew", "as", "at", "first", "for", "from", "here", "if", "in", "is", "it", "of", "on", "once",
        "or", "that",
        "then", "there", "to", "when", "where", "which", "while", "with",
    ]

    /// Tells an argument from a word of the sentence. A plain word is an argument only where the command needs another.
    private static func isArgument(_ word: String, missing: Bool, of command: ProgramCommand) -> Bool {
        if command.values.contains(word) || word.contains(SwiftLiterals.gap) { return true }
        if word.contains(where: { $0.isNumber || "/.=_~<>{}[]$@".contains($0) }) || word == "-" { return true }
        if word.allSatisfy({ $0.isUppercase || $0 == "-" }) { return word != "I" }
        if ["last-month", "this-month"].contains(word) { return true }
        return missing && !sentence.contains(word) && word.first?.isUppercase == false
    }
}

/// A command of the program, as its own help lists it.
struct ProgramCommand {
    struct Option {
        let name: String
        let takesValue: Bool
        let takesSeveral: Bool
    }

    private(set) var subcommands: [String: ProgramCommand] = [:]
    /// The name of the subcommand that the command alone stands for.
    let standard: String?
    private(set) var options: [String: Option] = [:]
    private(set) var requiredOptions: [String] = []
    /// The names of the arguments that must be there.
    private(set) var required: [String] = []
    /// The names of all arguments, in their order.
    private(set) var arguments: [String] = []
    /// The most arguments that there can be; nil without a limit.
    private(set) var most: Int? = 0
    /// The values that an argument can have, where they are listed.
    private(set) var values: Set<String> = []

    /// Returns the program's help on all commands, as it prints it for other programs.
    static func help() async throws -> JSONValue {
        let printed = try await CountersignProcess(["--experimental-dump-help"]).run().output
        return try #require(try JSONReader.read(printed, limits: JSONLimits(size: 8 << 20))["command"])
    }

    static func whole() async throws -> ProgramCommand { ProgramCommand(try await help()) }

    /// - Parameter help: a command of ``help()``.
    init(_ help: JSONValue) {
        let below = help["subcommands"]?.arrayValue ?? []
        for one in below { subcommands[one["commandName"]?.stringValue ?? ""] = ProgramCommand(one) }
        // Help alone makes no group of commands.
        if Set(subcommands.keys) == ["help"] { subcommands = [:] }
        standard = help["defaultSubcommand"]?.stringValue
        for argument in help["arguments"]?.arrayValue ?? [] { add(argument) }
        if let standard, let meant = subcommands[standard] {
            options.merge(meant.options) { own, _ in own }
            required += meant.required
            arguments += meant.arguments
            most = most.flatMap { own in meant.most.map { own + $0 } }
            values.formUnion(meant.values)
        }
    }

    private mutating func add(_ argument: JSONValue) {
        let kind = argument["kind"]?.stringValue
        let isOptional = argument["isOptional"]?.boolValue ?? true
        guard kind != "positional" else {
            let name = argument["valueName"]?.stringValue ?? "an argument"
            arguments.append(name)
            if !isOptional { required.append(name) }
            most = argument["isRepeating"]?.boolValue == true ? nil : most.map { $0 + 1 }
            values.formUnion((argument["allValues"]?.arrayValue ?? []).compactMap(\.stringValue))
            return
        }
        let names = (argument["names"]?.arrayValue ?? []).map { name in
            (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
        }
        guard let first = names.first else { return }
        let option = Option(
            name: first, takesValue: kind == "option",
            takesSeveral: argument["parsingStrategy"] == "upToNextOption")
        for name in names { options[name] = option }
        if !isOptional { requiredOptions.append(first) }
    }
}
