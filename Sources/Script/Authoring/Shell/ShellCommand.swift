import BankScript
import Selectors

/// A parsed line of the shell: a step of a script in short words or in YAML, or a question about the page.
enum ShellCommand: Sendable {
    case actions([Action])
    case select(Locator)
    /// Show what a JSONPath finds in the latest JSON answer.
    case selectJSON(String)
    case explain(Locator)
    case page
    case back
    case undo
    case steps
    case help
    /// Leaves the shell, and continues the run that it interrupted.
    case leave
    /// Leaves the shell, and ends the run too.
    case quit
    case nothing

    /// - Throws: ``ShellError`` for a line that is not a command.
    init(_ line: String) throws(ShellError) {
        let line = line.trimmingWhitespace
        let word = String(line.prefix { !$0.isWhitespace && $0 != ":" })
        let rest = String(line.dropFirst(word.count).drop { $0 == ":" }).trimmingWhitespace
        switch word.lowercased() {
        case "": self = .nothing
        case "help", "?": self = .help
        case "quit", "exit": self = .quit
        case "continue": self = .leave
        case "page", "where": self = .page
        case "back": self = .back
        case "undo": self = .undo
        case "steps": self = .steps
        case "select" where rest.hasPrefix("$"): self = .selectJSON(rest)
        case "select": self = .select(try Self.locator(rest, of: "select"))
        case "explain": self = .explain(try Self.locator(rest, of: "explain"))
        default: self = .actions(try Self.actions(word, rest, line))
        }
    }

    private static let simple: [String: @Sendable (String) -> Action] = [
        "open": { .open(Template($0)) }, "follow": { .follow(.link(.name($0))) },
        "press": { .press(.button(.name($0))) }, "check": { .check(.field(.name($0)), true) },
        "uncheck": { .check(.field(.name($0)), false) }, "enter": { .enter(.css($0)) },
        "download": { .download(DownloadStep(source: .control(.control(.name($0))))) },
    ]

    private static func actions(_ word: String, _ rest: String, _ line: String) throws(ShellError) -> [Action] {
        guard !rest.isEmpty else { throw ShellError("“\(word)” needs an argument; `help` lists the commands") }
        let isSpelled = "{[\"'".contains(rest.first ?? " ") && !rest.hasPrefix("{{")
        let isYAML = line.dropFirst(word.count).hasPrefix(":") || isSpelled
        if !isYAML {
            if let make = simple[word] { return [make(rest)] }
            if word == "fill", let range = rest.ranges(of: " with ").last {
                return [.fill(.field(.name(String(rest[..<range.lowerBound]))), Self.value(rest[range.upperBound...]))]
            }
            if word == "choose", let range = rest.ranges(of: " in ").last {
                return [
                    .choose(.field(.name(String(rest[range.upperBound...]))), Self.value(rest[..<range.lowerBound]))
                ]
            }
        }
        return try yaml(line.contains(":") && !line.dropFirst(word.count).hasPrefix(" {") ? line : "\(word): \(rest)")
    }

    /// Parses `$username` or a template.
    private static func value(_ text: Substring) -> Value {
        String(text).isCredential ? .credential(String(text.dropFirst())) : .template(Template(String(text)))
    }

    /// Parses a line of YAML as it stands in a script.
    private static func yaml(_ line: String) throws(ShellError) -> [Action] {
        do {
            let text = "bank: shell\nname: shell\norigins: []\nsteps:\n  - \(line)\n"
            return try BankScript(yaml: text, file: "shell").steps.map(\.action)
        } catch {
            throw ShellError(error.message + (error.hint.map { "; \($0)" } ?? ""))
        }
    }

    /// Parses `link Statements`, `row January 2026`, `{ button: Show, in: Filter }`, or a CSS selector.
    private static func locator(_ text: String, of command: String) throws(ShellError) -> Locator {
        guard !text.isEmpty else {
            throw ShellError("\(command) needs a locator: `\(command) link Statements`, `\(command) .notice`")
        }
        if text.hasPrefix("{") {
            guard let follow = try yaml("follow: \(text)").first?.as(FollowStep.self) else {
                throw ShellError("no locator")
            }
            return follow.link
        }
        let word = text.prefix { !$0.isWhitespace }
        let name = String(text.dropFirst(word.count)).trimmingWhitespace
        guard !name.isEmpty else { return .css(text) }
        switch word {
        case "field": return .field(.name(name))
        case "button": return .button(.name(name))
        case "link": return .link(.name(name))
        case "control": return .control(.name(name))
        case "row": return .row(.name(name))
        case "cell": return .cell(header: .name(name))
        case "text": return .text(.name(name))
        case "heading": return .heading(.name(name))
        case "xpath": return .xpath(name)
        case "css": return .css(name)
        default: return .css(text)
        }
    }

    static let helpLines = [
        "open /login                 go to a path or address", "follow Statements           follow a link",
        "fill Username with $username   type into a field; the shell asks for a $name",
        "choose 2026 in Year         pick an option",
        "check I agree               check a box", "press Sign in               press a button",
        "download PDF                fetch a document", "second factor: { field: Code, within: 2 min }",
        "                            any step as it stands in a script",
        "select link Next            count and show matches, also of a CSS selector",
        "explain link Next           say by which rule each match fits, and what nearly fits",
        "select $.items[*].id        show what a JSONPath finds in the latest JSON answer",
        "page                        list texts, fields, rows, links and JSON, each with a locator to paste",
        "history                     list earlier lines, of earlier sessions too; !7 performs one again",
        "back                        return to the previous page",
        "undo                        forget the last step",
        "steps                       print the steps so far as YAML",
        "continue                    leave, and continue the run",
        "quit                        leave, and end the run",
    ]
}

/// The reason why the shell cannot read a line.
struct ShellError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension String {
    package var trimmingWhitespace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
