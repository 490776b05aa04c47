import Broker
import BrokerStore
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Messages
import Terminal

/// The agent of one program on this machine: its name and token at the broker, and its entry in the program's own file.
struct ProgramRegistration {
    let program: AgentProgram
    let name: AgentName
    let environment: [String: String]

    /// - Returns: nil for a name that is not a known program's.
    init?(_ name: AgentName, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let program = AgentProgram.named(name.description) else { return nil }
        self.program = program
        self.name = name
        self.environment = environment
    }

    /// The file with the agent's token, which only its user can read.
    var tokenFile: URL {
        HouseholdFile.place(environment).deletingLastPathComponent().appending(path: "agents/\(name).token")
    }

    /// The command for the program's file. It names the broker, because the program may run without this shell's variables.
    private func command() throws -> ServerCommand {
        let variables = (try? HouseholdFile.completing(environment)) ?? environment
        let place = BrokerPlace(typed: nil, own: environment, complete: variables)
        var arguments = ["agent", "mcp", "--broker", place.address, "--token-file", tokenFile.path]
        if place.address.hasPrefix("https:"), let authority = variables["BROKER_CA_FILE"] {
            arguments += ["--ca-file", TypedPath.expanded(authority)]
        }
        return ServerCommand(program: try Self.executable(), arguments: arguments)
    }

    private static func executable() throws -> String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        guard path.hasPrefix("/"), access(path, X_OK) == 0 else {
            throw CommandFailure("the place of the running program cannot be found; start it by its whole path")
        }
        return path
    }

    private func setup() throws -> ProgramSetup {
        ProgramSetup(program, try command(), environment: environment)
    }

    // MARK: Adding

    /// Shows the entry, asks, adds the agent, and writes the program's file.
    ///
    /// - Parameters:
    ///   - isTrial: true to show the entry only.
    ///   - isAgreed: true to ask nothing.
    func add(isTrial: Bool, isAgreed: Bool, json: Bool) async throws {
        let setup = try setup()
        let change = try await reporting(setup) { try setup.change() }
        // The entry takes an earlier one's place.
        let kept = change.before == change.after ? change.before : try setup.removal()?.after ?? change.before
        let added = Self.difference(kept, change.after)
        guard !isTrial else { return report(setup, added, isWritten: false, json) }
        if !isAgreed {
            guard Console.isTerminal else {
                throw CommandFailure(
                    "give --yes to write \(setup.file.path), or --print to see what would be written", status: 2)
            }
            report(setup, added, isWritten: false, false)
            guard Asking.yes("Write this?") else { throw CommandFailure("nothing was changed") }
        }
        let isNew = try await addAgent()
        try await reporting(setup) {
            do {
                try setup.write(change.after, insteadOf: change.before)
            } catch {
                // Before the advice, which depends on the agents that there are.
                if isNew { try? await removeAgent() }
                throw error
            }
        }
        report(setup, added, isWritten: true, json)
    }

    /// - Returns: false when the agent is there with its token.
    private func addAgent() async throws -> Bool {
        let agents = try BrokerAdministration.onThisMachine().agents
        if try await agents.agents().contains(where: { $0.name == name }),
            FileManager.default.fileExists(atPath: tokenFile.path)
        {
            return false
        }
        let token = try await agents.add(name)
        do {
            try PrivateFolder.make(tokenFile.deletingLastPathComponent())
            try AtomicFile.write(Array((token.revealed() + "\n").utf8), to: tokenFile)
        } catch {
            try? await agents.remove(name)
            throw error
        }
        return true
    }

    private func removeAgent() async throws {
        defer { try? FileManager.default.removeItem(at: tokenFile) }
        try await BrokerAdministration.onThisMachine().agents.remove(name)
    }

    // MARK: Removing

    /// Removes the agent and its token, and takes the entry out of the program's file.
    ///
    /// The token ends first: a file that cannot be changed must not keep it alive.
    ///
    /// - Returns: the program's file; nil when it had no entry.
    func remove() async throws -> URL? {
        var unknown: AgentNameError?
        do {
            try await removeAgent()
        } catch let error as AgentNameError {
            unknown = error
        }
        var file = ""
        do {
            let setup = try setup()
            file = setup.file.path
            guard let removal = try setup.removal() else {
                if let unknown { throw unknown }
                return nil
            }
            try setup.write(removal.after, insteadOf: removal.before)
            return setup.file
        } catch {
            if let unknown { throw unknown }
            throw CommandFailure(
                "\(name) is removed, and its token has no effect any more, but \(file.isEmpty ? "the program's file" : file) is left as it is: \(error). "
                    + "Take the entry “\(ServerCommand.key)” out of it by hand, if it has one")
        }
    }

    // MARK: Words

    private func reporting<Result>(_ setup: ProgramSetup, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let problem as ProgramFileProblem {
            throw CommandFailure(
                """
                \(setup.file.path) is left as it is: \(problem). To set the program up by hand, \(await tokenAdvice())
                and add what is missing of this to the file:
                \(try program.text.adding(setup.command, to: ""))
                """)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("\(setup.file.path) cannot be changed: \(error)")
        }
    }

    /// Returns what brings a token into the token's file. A file that is there may hold a token that works, and the shell would
    /// empty it before the command runs; so it is left alone, also when the advice is followed twice (`set -C`).
    private func tokenAdvice() async -> String {
        let agents = try? await BrokerAdministration.onThisMachine().agents.agents()
        let hasFile = FileManager.default.fileExists(atPath: tokenFile.path)
        switch (agents?.contains { $0.name == name } ?? hasFile, hasFile) {
        case (true, true):
            return "keep the agent's token, which is in \(tokenFile.path),"
        case (true, false):
            return """
                put the token of the agent “\(name)”, which the broker knows, into \(tokenFile.path)
                (if it is lost: countersign agent remove \(name), and add the agent again),
                """
        case (false, true):
            return """
                put the token that “countersign agent add \(name) --token” prints
                into \(tokenFile.path), whose token this broker does not know,
                """
        case (false, false):
            let (folder, file) = (Self.quoted(tokenFile.deletingLastPathComponent().path), Self.quoted(tokenFile.path))
            return """
                make a token:
                  (umask 077; set -C; mkdir -p \(folder); countersign agent add \(name) --token > \(file))
                """
        }
    }

    /// Returns a word for the shell.
    private static func quoted(_ path: String) -> String {
        "'" + path.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    private func report(_ setup: ProgramSetup, _ added: String, isWritten: Bool, _ json: Bool) {
        guard !json else {
            let answer: JSONValue = [
                "name": .string(name.description), "file": .string(setup.file.path), "added": .string(added),
                "token_file": .string(tokenFile.path), "written": .bool(isWritten),
            ]
            return Console.standard.line(answer.compactText())
        }
        let console = Console.standard
        guard isWritten else {
            console.line("\(setup.file.path) gets:", .bold)
            for line in added.split(separator: "\n") { console.line("  \(line)") }
            return console.line(
                "When this is written, the agent gets a token, in \(tokenFile.path).",
                .faint)
        }
        console.line("\(setup.file.path) is written, and the agent “\(name)” is known to the broker.", .good)
        console.line("Start \(program.title) again. To undo this: countersign agent remove \(name)", .faint)
    }

    /// Returns the part of a text that is not in the other: by whole lines, and where lines have become others, what was put
    /// into them. The rest of a line can be all of a program's file, with the keys of other servers.
    static func difference(_ before: String, _ after: String) -> String {
        let (old, new) = (before.split(whereSeparator: \.isNewline), after.split(whereSeparator: \.isNewline))
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let was = Array(old[start..<(old.count - end)].joined(separator: "\n").unicodeScalars)
        let text = new[start..<(new.count - end)].joined(separator: "\n")
        guard !was.isEmpty else { return text }
        let now = Array(text.unicodeScalars)
        var first = zip(was, now).prefix { $0 == $1 }.count
        let last = zip(was.dropFirst(first).reversed(), now.dropFirst(first).reversed()).prefix { $0 == $1 }.count
        guard first + last == was.count else { return text }
        var behind = now.count - last
        // The same characters before it and at its end: the earlier place is where its own line begins.
        while first > 0, behind > first, now[first - 1] == now[behind - 1] { (first, behind) = (first - 1, behind - 1) }
        return String(String.UnicodeScalarView(now[first..<behind])).trimmingCharacters(in: .newlines)
    }
}
