import ArgumentParser
import Encodings
import Foundation
import Messages

/// The part of a command line that a person mistyped, with what they probably meant.
///
/// The argument parser takes what it does not know for a value, and then complains of another word.
struct MistypedCommand {
    /// Says what is not known, and what is near it.
    let message: String

    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - complaint: the argument parser's words; empty when it has not read the line.
    /// - Returns: nil when every command and option is known.
    init?(_ arguments: [String], of root: any ParsableCommand.Type, complaint: String = "") {
        var (command, names) = (root, [Self.name(of: root)])
        var rest = arguments[...]
        if rest.first == "help" { rest.removeFirst() }
        while let word = rest.first, !word.hasPrefix("-") {
            let parts = command.configuration.subcommands
            guard !parts.isEmpty else { break }
            if let next = parts.first(where: { Self.allNames(of: $0).contains(word) }) {
                (command, names) = (next, names + [Self.name(of: next)])
                rest.removeFirst()
                continue
            }
            guard let message = Self.unknown(word, in: command, names, root) else { break }
            self.message = message
            return
        }
        let leaf = command.configuration.defaultSubcommand ?? command
        let path = names.joined(separator: " ")
        let found =
            Self.unknownOption(among: rest, of: leaf, names, root) ?? Self.month(complaint, rest)
            ?? Self.choice(complaint) ?? Self.value(complaint, path) ?? Self.needless(complaint)
            ?? Self.extra(complaint, path, Self.options(of: leaf, root), rest)
        guard let found else { return nil }
        message = found
    }

    // MARK: Commands

    /// Words by which other programs call what is a command here.
    private static let wordsOfOthers = [
        "setup": "up", "init": "up", "install": "up", "start": "up", "run": "up", "login": "up", "stop": "up --stop",
        "uninstall": "up --remove", "version": "--version", "versions": "--version", "fetch": "request",
        "download": "request",
        "statement": "request", "statements": "archive list", "search": "archive find", "export": "archive export",
        "history": "requests", "inbox": "phone pending", "pending": "phone pending", "reject": "deny",
        "accounts": "banks", "add": "banks add", "list": "requests", "open": "phone address", "page": "phone address",
        "password": "phone passphrase change", "devices add": "pair", "hilfe": "--help", "aide": "--help",
        "ayuda": "--help",
    ]

    /// Words that come along when a line is copied from a guide, beside the program's own name.
    private static let prompts: Set<String> = ["$", "%", "#", ">", "sudo"]

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)"
    }

    private static func allNames(of command: any ParsableCommand.Type) -> [String] {
        [name(of: command)] + command.configuration.aliases
    }

    /// Returns nil for a word that the default of a group may take as a value.
    private static func unknown(
        _ word: String, in command: any ParsableCommand.Type, _ names: [String], _ root: any ParsableCommand.Type
    ) -> String? {
        let parts = command.configuration.subcommands
        let shown = parts.filter { $0.configuration.shouldDisplay }
        let group = names.joined(separator: " ")
        var meant: [String] = []
        if names.count == 1, prompts.contains(word) || word == group {
            return "“\(word)” came along when the line was copied; leave it out"
        }
        let spoken = (names.dropFirst() + [word.lowercased()]).joined(separator: " ")
        if let known = wordsOfOthers[spoken] {
            meant = ["\(names[0]) \(known)"]
        } else if let near = nearest(to: word, among: parts.map { name(of: $0) }) {
            meant = ["\(group) \(near)"]
        }
        let former = FormerName.below(Array(names.dropFirst()))
        if meant.isEmpty, let near = nearest(to: word, among: former.keys.sorted()) {
            meant = former[near].map { ["\(names[0]) \($0)"] } ?? []
        }
        // A command of another group, such as `serve`.
        if meant.isEmpty { meant = Array(paths(to: word, below: root, [name(of: root)]).prefix(4)) }
        if meant.isEmpty, names.count == 1, let near = nearest(to: word, among: wordsOfOthers.keys.sorted()) {
            meant = wordsOfOthers[near].map { ["\(group) \($0)"] } ?? []
        }
        if meant.isEmpty, command.configuration.defaultSubcommand != nil { return nil }
        let start = "“\(word.inLine(limit: 60))” is not a command of \(group)"
        guard meant.isEmpty else { return "\(start); did you mean: \(meant.joined(separator: ", or: "))" }
        guard names.count > 1 else { return "\(start); list them with: \(group) --help" }
        return "\(start); its commands are \(shown.map { name(of: $0) }.joined(separator: ", "))"
    }

    private static func paths(
        to word: String, below command: any ParsableCommand.Type, _ names: [String]
    ) -> [String] {
        command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { part in
            let path = names + [name(of: part)]
            return (name(of: part) == word ? [path.joined(separator: " ")] : []) + paths(to: word, below: part, path)
        }
    }

    // MARK: Options

    private static func unknownOption(
        among words: ArraySlice<String>, of command: any ParsableCommand.Type, _ names: [String],
        _ root: any ParsableCommand.Type
    ) -> String? {
        let known = options(of: command, root)
        for word in words.prefix(while: { $0 != "--" }) {
            if let message = longDash(word, known) { return message }
            guard word.hasPrefix("-") else { continue }
            guard word.hasPrefix("--") else {
                guard let message = unknownLetter(word, known, names) else { continue }
                return message
            }
            let option = String(word.prefix { $0 != "=" })
            guard !known.contains(option) else {
                // The argument parser takes the next word for its value.
                guard word == option + "=" else { continue }
                return "“\(word)” has no value; write it right after the sign, or leave the option out"
            }
            let path = names.joined(separator: " ")
            if let message = secret(option, known, path) { return message }
            let start = "“\(option.inLine(limit: 60))” is not an option of \(path)"
            if let words = wordsOnOptions["\(path) \(option)"] { return "\(start): \(words)" }
            let longer = known.filter { $0.hasPrefix(option + "-") }
            let meant = nearest(to: option, among: known) ?? (longer.count == 1 ? longer[0] : nil)
            return meant.map { "\(start); did you mean \($0)?" } ?? "\(start); list them with: \(path) --help"
        }
        return nil
    }

    /// Options of other programs, with what stands in their place here.
    private static let wordsOnOptions = [
        "countersign up --port":
            "it takes free ports by itself and keeps them; leave it out. For another port of the page, stop the household, and change "
            + "phone.port in the file that countersign status names"
    ]

    /// Says why no secret is given on a command line, without quoting it.
    private static func secret(_ option: String, _ known: [String], _ path: String) -> String? {
        let way: String
        switch option {
        case "--token" where known.contains("--token-file"):
            way = "put it in a file and give --token-file FILE, or set BROKER_API_TOKEN"
        case "--passphrase" where known.contains("--passphrase-file"):
            way = "put it in a file and give --passphrase-file FILE, or leave it out to be asked"
        case "--password" where known.contains("--credentials"), "--pin" where known.contains("--credentials"):
            way = "put it in a file and give --credentials FILE, or leave it out to be asked"
        case "--secret" where known.contains("--uri-file"):
            way = "leave it out, and type it when you are asked"
        default: return nil
        }
        return "other programs can read what stands on a command line, so \(path) takes no \(option); \(way)"
    }

    /// Says what was meant by an option whose hyphens a text program has made one dash.
    private static func longDash(_ word: String, _ known: [String]) -> String? {
        guard let first = word.first, "–—―−‒".contains(first) else { return nil }
        let option = "--" + word.drop { "–—―−‒-".contains($0) }.prefix { $0 != "=" }
        guard known.contains(option) else { return nil }
        return "“\(word.inLine(limit: 60))” begins with a dash where an option has two hyphens; did you mean \(option)?"
    }

    /// Says what a word such as `-v` may mean: the options here are whole words. A number with a sign, and `-` for standard input,
    /// are values.
    private static func unknownLetter(_ word: String, _ known: [String], _ names: [String]) -> String? {
        guard let letter = word.dropFirst().first, letter.isLetter, word != "-h" else { return nil }
        let path = names.joined(separator: " ")
        let start = "“\(word.inLine(limit: 60))” is not an option of \(path)"
        let longer = Set(known).filter { $0.hasPrefix("-" + word) && !$0.contains("experimental") }
        guard longer.count == 1 else { return "\(start); list them with: \(path) --help" }
        return "\(start); did you mean \(longer.first ?? "")?"
    }

    /// Returns the long options as the command's help lists them: the argument parser tells them nowhere else.
    private static func options(of command: any ParsableCommand.Type, _ root: any ParsableCommand.Type) -> [String] {
        let help = root.helpMessage(for: command, includeHidden: true, columns: 1000)
        let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return lines.flatMap { line in line.matches(of: /(?:^|[ ,\/])(--[a-z][a-z0-9-]*)/).map { String($0.1) } }
            + ["--help", "--version", "--help-hidden", "--generate-completion-script", "--experimental-dump-help"]
    }

    // MARK: Months

    /// Says how a month is written, for one that cannot be read.
    private static func month(_ complaint: String, _ words: ArraySlice<String>) -> String? {
        guard
            let found = complaint.firstMatch(
                of: /The value '([^']*)' is invalid for '(?:--(?:from|to) )?<(period|month|from|to)>'/)
        else { return nil }
        var typed = String(found.1)
        if let message = kinds(upTo: typed, words) { return message }
        // A shell takes “last month” for two words.
        if let place = words.firstIndex(of: typed), let next = words[place...].dropFirst().first, !next.hasPrefix("-") {
            typed += " " + next
        }
        let start = "“\(typed.inLine(limit: 60))” is not a month"
        if found.2 == "period", let range = MeantMonth.range(of: typed) {
            return "\(start); for several months: \(range)"
        }
        guard let meant = MeantMonth.of(typed) else {
            return "\(start); write one such as 2026-01, or last-month, or this-month"
        }
        return "\(start); did you mean \(meant)?"
    }

    // MARK: Values

    /// Says which of the known values is near a value that was typed.
    private static func choice(_ complaint: String) -> String? {
        guard
            let found = complaint.firstMatch(
                of: /The value '([^']*)' is invalid for '(--[a-z-]+)[^']*'\. Please provide one of (?s:(.*))/)
        else { return nil }
        let listed = String(found.3).components(separatedBy: "Help:")[0].components(separatedBy: "Usage:")[0]
        let quoted = listed.matches(of: /'([^']+)'/).map { String($0.1) }
        let lines = listed.matches(of: /(?m)^ *- (.+)$/).map { String($0.1) }
        let choices = quoted.isEmpty ? lines : quoted
        guard !choices.isEmpty else { return nil }
        let typed = found.1.split(separator: ",").map(String.init).first { !choices.contains($0) } ?? String(found.1)
        let meant = nearest(to: typed, among: choices).map { "did you mean \($0)? It" } ?? "it"
        return
            "“\(typed.inLine(limit: 60))” is not a value of \(found.2); \(meant) can be \(choices.joined(separator: ", "))"
    }

    /// Says what an option takes, for a value that does not fit and about which the argument parser says nothing more.
    private static func value(_ complaint: String, _ path: String) -> String? {
        guard
            let found = complaint.firstMatch(
                of: /The value '([^']*)' is invalid for '(--[a-z-]+)[^']*'(?:\n|$)/)
        else { return nil }
        let typed = String(found.1)
        let word = typed.inLine(limit: 60)
        guard Int(typed) == nil else { return "“\(word)” does not fit \(found.2); \(path) --help says what it takes" }
        return "“\(word)” is not a whole number, which \(found.2) takes; write one in digits, see \(path) --help"
    }

    /// Says how to write a flag that was given a value.
    private static func needless(_ complaint: String) -> String? {
        guard let found = complaint.firstMatch(of: /The option '(--[a-z-]+)' does not take any value, but '([^']*)'/)
        else { return nil }
        return "\(found.1) takes no value; leave “=\(String(found.2).inLine(limit: 60))” out"
    }

    /// Says what to do with a word that the command does not take.
    private static func extra(
        _ complaint: String, _ path: String, _ known: [String], _ words: ArraySlice<String>
    ) -> String? {
        guard let found = complaint.firstMatch(of: /[Uu]nexpected arguments?:? '([^']*)'/) else { return nil }
        let typed = String(found.1)
        if let message = pairingLine(typed) ?? kinds(upTo: typed, words) { return message }
        let word = typed.inLine(limit: 60)
        let start = "\(path) takes no word such as “\(word)”"
        if !typed.isEmpty, !typed.contains(where: { $0.isLetter || $0.isNumber }) {
            return "“\(word)” may have come along when the line was copied; leave it out"
        }
        if let place = words.firstIndex(of: typed), place > words.startIndex {
            let before = words[place - 1]
            if known.contains("--from"), let range = MeantMonth.range(of: "\(before) \(typed)") {
                return "\(start); for several months: \(range)"
            }
            if ["last-month", "this-month"].contains(before), typed.count == 4, Int(typed) != nil {
                return "\(before) has its year already; leave “\(word)” out, or name the month, such as \(typed)-01"
            }
            if before.hasPrefix("--"), before != "--", !before.contains("="), words.count(where: { $0 == typed }) == 1 {
                return "\(before) takes no value; leave “\(word)” out"
            }
        }
        if known.contains("--bank"), typed.first?.isLetter == true { return "\(start); did you mean --bank \(word)?" }
        if known.contains("--output") {
            let ending =
                path.hasSuffix(" script new") && !word.hasSuffix(".yaml") && !word.hasSuffix(".yml") ? ".yaml" : ""
            return "\(start); for the name of the file that it writes: --output \(word)\(ending)"
        }
        return "\(start); it goes without, and its options are listed by: \(path) --help"
    }

    /// Says where the line of a pairing belongs, without quoting its code.
    private static func pairingLine(_ typed: String) -> String? {
        guard typed.contains(/^[0-9]+-[A-Za-z0-9]{4}-[A-Za-z0-9]{4}@/) else { return nil }
        return
            "the line of a pairing belongs on the phone's machine; run there: countersign up --phone-only LINE"
    }

    /// Says how several kinds of file are given, for one that stands behind another without a comma.
    private static func kinds(upTo typed: String, _ words: ArraySlice<String>) -> String? {
        guard DocumentKind(rawValue: typed.lowercased()) != nil, let option = words.lastIndex(of: "--kinds"),
            let place = words[option...].firstIndex(of: typed), place > option + 1
        else { return nil }
        let all = words[(option + 1)...place].flatMap { $0.lowercased().split(separator: ",") }
        guard all.allSatisfy({ DocumentKind(rawValue: String($0)) != nil }) else { return nil }
        return "several kinds go together: --kinds \(all.joined(separator: ","))"
    }
}
