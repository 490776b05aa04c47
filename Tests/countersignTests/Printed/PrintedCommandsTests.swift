import Encodings
import Foundation
import TestSupport
import Testing

/// A person types a command line as it stands on a screen.
@Suite("Each command line in what our programs print", .timeLimit(.minutes(5)))
struct PrintedCommandsTests {
    /// Other texts behind “countersign ” than command lines, by their beginning. A line break stands for the end.
    private static let spoken = [
        // The purposes of signatures and keys.
        "approval\n", "backup key", "broker proof", "broker sealing 1", "client permission 1", "data key",
        "device removal 1",
        "field result 1", "master keys", "pairing key 1", "pairing point 1", "pairing words 1", "pairing 2 ",
        "pairing\n",
        "passkey and passphrase slot 1", "passkey slot 1", "rotation 1 ", "rotation\n", "sealed file 1",
        "terminal code 1",
        "token name 1", "token\n", "totp export\n", "totp key\n", "tpm evidence", "vault entries 1", "vault file 1",
        "vault\n",
        "versioned key 1",
        // The first line of a file.
        "broker backup, version",
        // The program, not a command.
        "as another user", "phone is running", "starts this command itself", "that reads", "that wrote it",
        // A command that is named, not told: what made a copy, what opens a file, whose key a line has, where a value is from.
        "broker backup” in its place", "totp import and that passphrase", "assistant: ", "config\n",
        // A group's list of commands is what one is to look at.
        "archive\n",
        // A mistake, as it was typed.
        "up --port\n",
    ]

    /// A place in a file, and the text that has “countersign ” in it.
    private struct Text {
        let file: String
        let line: Int
        let texts: [String]
    }

    private static func texts() throws -> [Text] {
        var texts: [Text] = []
        let root = Repository.root.path + "/"
        for folder in ["Sources", "BankScripts", "MockBank", "Packaging"] {
            let files = FileManager.default.enumerator(
                at: Repository.file(folder), includingPropertiesForKeys: [.isRegularFileKey])
            while let file = files?.nextObject() as? URL {
                let path = file.path.hasPrefix(root) ? String(file.path.dropFirst(root.count)) : file.path
                // The examples of the manual pages have a check of their own, in the program that makes the pages.
                guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                    !path.hasPrefix("Packaging/Manual/"), path != "Packaging/manual",
                    let content = try? String(contentsOf: file, encoding: .utf8), content.contains("countersign ")
                else { continue }
                if file.pathExtension == "swift" {
                    texts += SwiftLiterals.all(in: content).filter {
                        $0.texts[0].contains("countersign ") || $0.texts.count > 1
                    }
                    .map { Text(file: path, line: $0.line, texts: $0.texts) }
                } else if folder == "Packaging" || ["mustache", "js", "html", "json"].contains(file.pathExtension) {
                    let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
                    texts += lines.enumerated().map {
                        Text(file: path, line: $0.offset + 1, texts: [String($0.element)])
                    }
                }
            }
        }
        return texts
    }

    /// Returns each command line, by the place where it stands.
    static func all(_ program: ProgramCommand) throws -> [(place: String, command: PrintedCommand)] {
        var unseen = Set(spoken)
        let all = try texts().flatMap { text in
            text.texts.flatMap(PrintedCommand.places).compactMap { rest -> (String, PrintedCommand)? in
                if let phrase = spoken.first(where: { (rest + "\n").hasPrefix($0) }) {
                    unseen.remove(phrase)
                    return nil
                }
                return ("\(text.file):\(text.line)", PrintedCommand(rest, of: program))
            }
        }
        #expect(unseen.isEmpty, "no text has these any more")
        return all
    }

    @Test("is one that the program takes")
    func whole() async throws {
        let all = try Self.all(try await ProgramCommand.whole())
        for (place, command) in all {
            guard let problem = command.problem else { continue }
            Issue.record("\(place): \(command.line.replacing(SwiftLiterals.gap.description, with: "…")): \(problem)")
        }
        let lines = Set(all.map(\.command.line))
        #expect(lines.count > 120, "only \(lines.count) different command lines were found")
    }

    @Test(
        "is read up to where its sentence goes on",
        arguments: [
            ("countersign up --stop, or Ctrl-C where it runs", "countersign up --stop"),
            ("run countersign pair at the broker", "countersign pair"),
            ("`countersign script lint FILE` checks it", "countersign script lint FILE"),
            (
                "<code>countersign phone passkey code --to-remove</code></label>",
                "countersign phone passkey code --to-remove"
            ),
            ("pair one with countersign pair (old statements)", "countersign pair"),
            ("countersign archive list --archive \u{1A} shows the ids", "countersign archive list --archive \u{1A}"),
            ("countersign transactions reads it as it is", "countersign transactions"),
            ("add one with: countersign agent add claude-code, or another", "countersign agent add claude-code"),
            ("countersign devices default on", "countersign devices default on"),
            ("countersign request last-month\u{1A} --wait", "countersign request last-month\u{1A} --wait"),
            ("countersign phone banks \u{1A} \u{1A}", "countersign phone banks"),
            ("countersign phone banks change\u{1A}", "countersign phone banks change\u{1A}"),
            (
                "countersign schedule add --monthly 3 08:00 Europe/Berlin --bank x",
                "countersign schedule add --monthly 3 08:00 Europe/Berlin --bank x"
            ),
            ("countersign up --bank mock --json >\"$HOME/up.log\" 2>&1 &", "countersign up --bank mock --json"),
            ("countersign banks lists them", "countersign banks"),
        ])
    func right(text: String, line: String) async throws {
        let rest = try #require(PrintedCommand.places(in: text).first)
        let command = PrintedCommand(rest, of: try await ProgramCommand.whole())
        #expect(command.line == line && command.problem == nil, "\(command.problem ?? "")")
    }

    @Test(
        "is found to be wrong",
        arguments: [
            ("run: countersign aprove", "countersign has no command aprove"),
            ("run: countersign script tset FILE", "countersign script has no command tset"),
            ("see countersign devices.", "countersign devices needs a command"),
            ("countersign up --frobnicate", "countersign up has no option --frobnicate"),
            ("countersign request --bank, then", "--bank needs a value"),
            ("countersign request --bank --wait", "--bank needs a value"),
            ("run countersign doctor --sync on the other machine", "--sync needs a value"),
            ("countersign phone pair, or countersign phone setup", "countersign phone pair needs -|image"),
            ("countersign phone banks program BANK", "countersign phone banks program needs credential"),
            ("countersign phone banks change with", "countersign phone banks change needs bank"),
            ("countersign script lint ONE TWO", "countersign script lint takes 1 argument"),
            ("countersign script vouch FILE", "countersign script vouch needs --key"),
        ])
    func wrong(text: String, problem: String) async throws {
        let rest = try #require(PrintedCommand.places(in: text).first)
        #expect(PrintedCommand(rest, of: try await ProgramCommand.whole()).problem == problem)
    }

    @Test(
        "is not seen where the program alone is named",
        arguments: ["a countersign\u{1A}", "xcountersign up", "countersign <"])
    func none(text: String) { #expect(PrintedCommand.places(in: text).isEmpty) }

    @Test("comes from a literal, whose parts are put together")
    func literals() {
        let source = #"""
            // "a comment"
            let one = "run \(x) " + "now" /* "not this" */
            let two = "run \(isNew ? "up" : "status") \(names.map { "inner \($0)" }.joined(separator: ", "))"
            let three = "a" + name + "b"
            call("c", of: /"/)
            let four = """
                one \
                two
                """
            """#
        let found = SwiftLiterals.all(in: source)
        let gap = SwiftLiterals.gap
        let texts = found.flatMap(\.texts)
        for text in ["run \(gap) now", "run up \(gap)", "run status \(gap)", "inner \(gap)", "a\(gap)b", "c"] {
            #expect(texts.contains(text), "\(texts)")
        }
        #expect(texts.contains { $0.contains("one two") })
        #expect(!texts.contains { $0.contains("comment") || $0.contains("not this") })
        #expect(found.first?.line == 2)
    }
}
