import ArgumentParser
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Machine
import ScriptCollections
import Terminal

struct ScriptVouchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vouch", abstract: "Sign that you have read a script, or have run it at its bank.",
        discussion: """
            Shows what the script does, and signs a statement about exactly this version with your SSH key \
            (ssh-keygen -Y sign). The vouch is added to NAME.vouch beside the script. Those who name your public key in their \
            policy.yaml see it when they accept the script:

            scripts:
              vouches: 2
              reviewers: { ada: ssh-ed25519 AAAA… }

            Exit status: 0 signed, 1 not signed, 2 usage, 3 the script is invalid.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "Your SSH key, e.g. ~/.ssh/id_ed25519; a .pub file if an agent has the key.", completion: .file())
    var key: String

    @Option(help: ArgumentHelp("The day on which you fetched a document with it, e.g. 2026-01-31.", valueName: "day"))
    var ran: String?

    @Option(help: "The script's digest, or its first twelve or more digits; signs without a question.")
    var digest: String?

    func run() async throws {
        try await reportingFailures {
            let source = try ScriptFile(path: file)
            let script = try source.script()
            try ScriptLint.refuse(script, source: source.text)
            if let ran, (try? Date.ISO8601FormatStyle().year().month().day().parse(ran)) == nil {
                throw CommandFailure("--ran must be a day such as 2026-01-31", status: 2)
            }
            Console.standard.show(AcceptanceDescription(of: script, after: nil).lines)
            try confirm(script)
            let today = Date().formatted(.iso8601.year().month().day())
            let statement = Vouch.statement(ran == nil ? .read : .ran, of: script, on: ran ?? today)
            let signature = try sign(statement)
            let vouch = statement + signature + (signature.hasSuffix("\n") ? "" : "\n")
            do {
                _ = try Vouch.all(in: vouch)
            } catch {
                throw CommandFailure("the key cannot vouch: \(error)")
            }
            let place = ScriptVouches.file(for: file)
            let before =
                try FileManager.default.fileExists(atPath: place)
                ? String(decoding: TypedPath.bytes(place, atMost: 64 << 10), as: UTF8.self) : ""
            do {
                try AtomicFile.write((before + vouch).utf8, to: URL(filePath: TypedPath.expanded(place)), mode: 0o644)
            } catch {
                throw CommandFailure("\(error)")
            }
            Console.standard.line("Signed: \(place)")
        }
    }

    private func confirm(_ script: BankScript) throws {
        if let digest {
            try script.digest.checkIsMeant(by: digest)
            return
        }
        guard Asking.isPossible else {
            throw CommandFailure(
                "without a terminal, give --digest \(script.digest.short) if that is the script you read", status: 2)
        }
        guard Asking.yes("Do you vouch for this version, \(script.digest.short), with your name?") else {
            throw CommandFailure("the script was not signed")
        }
    }

    /// Signs with ssh-keygen, which knows agents, passphrases and hardware keys.
    private func sign(_ statement: String) throws -> String {
        guard
            let path = ["/usr/bin/ssh-keygen", "/usr/local/bin/ssh-keygen"].first(
                where: FileManager.default.isExecutableFile)
        else { throw CommandFailure("ssh-keygen is not installed; it belongs to OpenSSH") }
        let program: RunningProgram
        do throws(FileError) {
            // It asks the person for a passphrase, or the agent that the environment names; the key's path can be relative.
            program = try RunningProgram(
                [path, "-q", "-Y", "sign", "-f", TypedPath.expanded(key), "-n", Vouch.namespace], environment: nil,
                in: nil, input: .written, errors: .shown, asksAtTerminal: true)
        } catch {
            throw CommandFailure("ssh-keygen could not be started: \(error)")
        }
        // One that has ended without reading says why, and its status is looked at below.
        try? program.write(statement.utf8)
        program.endInput()
        let signature = program.output(atMost: 64 << 10)
        guard program.end() == .exited(0) else {
            throw CommandFailure("ssh-keygen did not sign; check the key \(key)")
        }
        return String(decoding: signature, as: UTF8.self)
    }
}
