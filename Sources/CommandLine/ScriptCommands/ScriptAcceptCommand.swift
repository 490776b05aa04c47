import ArgumentParser
import BankScript
import Terminal

struct ScriptAcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Allow a script of a folder to run, after you have read it.",
        discussion: """
            Everything that the script does is printed, and at the end what leaves for which origin: credentials, codes, \
            and what the script captures. Every change makes it a different script, which must be accepted again; then \
            you see what has changed since. Versions of the bank's script that you accepted before do not run any more, \
            unless you give --keep; countersign phone scripts lists what is accepted.

            Without a terminal, name the script with --digest.

            Exit status: 0 accepted, 1 not accepted, 2 usage, 3 the file is not a valid script.
            """)

    @Argument(help: "A YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(help: "The script's digest, or its first twelve or more digits; accepts without a question.")
    var digest: String?

    @Flag(help: "Leave earlier versions of this bank's script accepted.")
    var keep = false

    @OptionGroup var home: HomeOption

    func run() async throws {
        try await reportingFailures {
            let source = try ScriptFile(path: file)
            let script = try source.script()
            try ScriptLint.refuseUnplugged(script, source: source.text)
            try home.checkMayKeep()
            try await ScriptAcceptance(of: script, home: home.folder, digest: digest).perform(keepingOthers: keep)
        }
    }
}
