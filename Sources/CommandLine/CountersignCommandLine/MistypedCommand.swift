import ArgumentParser
import Encodings
import Foundation

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
        if let message = Self.unknownOption(among: rest, of: leaf, names, root) {
            self.message = message
        } else if let message = Self.month(complaint) {
            self.message = message
        } else {
            return nil
        }
    }

    // MARK: Commands

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
        if let near = nearest(to: word, among: parts.map { name(of: $0) }) { meant = ["\(group) \(near)"] }
        // A command of another group, such as `serve`.
        if meant.isEmpty { meant = Array(paths(to: word, below: root, [name(of: root)]).prefix(4)) }
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
        for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
            let option = String(word.prefix { $0 != "=" })
            guard !known.contains(option) else { continue }
            let path = names.joined(separator: " ")
            let start = "“\(option.inLine(limit: 60))” is not an option of \(path)"
            let longer = known.filter { $0.hasPrefix(option + "-") }
            let meant = nearest(to: option, among: known) ?? (longer.count == 1 ? longer[0] : nil)
            return meant.map { "\(start); did you mean \($0)?" } ?? "\(start); list them with: \(path) --help"
        }
        return nil
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
    private static func month(_ complaint: String) -> String? {
        guard let found = complaint.firstMatch(of: /The value '([^']*)' is invalid for '<(?:period|month)>'/) else {
            return nil
        }
        let typed = String(found.1)
        let start = "“\(typed.inLine(limit: 60))” is not a month"
        guard let meant = meantMonth(typed) else {
            return "\(start); write one such as 2026-01, or last-month, or this-month"
        }
        return "\(start); did you mean \(meant)?"
    }

    private static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns the month that a person wrote in another form, such as `1/2026` or `oct-2026`.
    private static func meantMonth(_ typed: String) -> String? {
        let text = typed.lowercased()
        func written(_ month: Int?, _ year: Substring) -> String? {
            guard let month, (1...12).contains(month) else { return nil }
            return "\(year)-\(month < 10 ? "0" : "")\(month)"
        }
        if let parts = text.wholeMatch(of: /([0-9]{4})[-\/. ]?([0-9]{1,2})/) { return written(Int(parts.2), parts.1) }
        if let parts = text.wholeMatch(of: /([0-9]{1,2})[-\/. ]([0-9]{4})/) { return written(Int(parts.1), parts.2) }
        if let parts = text.wholeMatch(of: /([a-z]{3})[a-z]*[-\/. ]?([0-9]{4})/) {
            return written(monthNames.firstIndex(of: String(parts.1)).map { $0 + 1 }, parts.2)
        }
        return nearest(to: text, among: ["last-month", "this-month"])
    }
}
