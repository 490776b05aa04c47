import ArgumentParser
import Encodings
import Foundation
import Phone
import PhoneStore
import ScriptCollections
import Terminal

struct ScriptResultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results", abstract: "Tell a collection how its scripts do, if you want to.",
        discussion: """
            Off until you say yes for a collection. Then one file tells the last outcome of one script in one week that has ended: \
            the script's digest, the outcome with the number of the step, the week, and the engine. It is signed with a key that is \
            only for this script and this collection. Failures that are about you, such as a wrong password, are not told.

            Nothing is sent by itself: `write` writes the files for you to hand over, and `send` sends them to the collection's \
            address after a yes.
            """,
        subcommands: [
            ScriptResultsOnCommand.self, ScriptResultsOffCommand.self, ScriptResultsShowCommand.self,
            ScriptResultsWriteCommand.self, ScriptResultsSendCommand.self,
        ])
}

/// The results that are there for a collection.
struct ResultsOptions: ParsableArguments {
    @Argument(help: "The collection's name.")
    var collection: String

    @OptionGroup var collections: CollectionOptions

    func known() throws -> KnownCollection { try collections.keeper.named(collection) }

    /// Returns the results of weeks that have ended.
    ///
    /// - Throws: ``CommandFailure`` for a collection for which the owner has not said yes.
    func results() async throws -> [SignedFieldResult] {
        let known = try known()
        guard known.results != nil else {
            throw CommandFailure(
                "results for \(known.name) are off; to read what they tell: countersign script results on \(known.name)"
            )
        }
        let home = PhoneHome(collections.home.folder)
        guard FileManager.default.fileExists(atPath: home.database.path) else {
            throw collections.home.lacksPhone
        }
        let runs = try await PhoneDatabase(home).outcomes().map {
            RememberedRun(
                digest: $0.scriptDigest, endedAt: $0.endedAt, engine: $0.engine, reason: $0.reason, step: $0.step)
        }
        return try await collections.keeper.results(of: known, among: runs)
    }

    static let none = "nothing to tell yet; a week is told when it has ended, from the week of your yes on"

    /// Prints the files as they are, each on a line.
    static func show(_ results: [SignedFieldResult]) {
        for result in results { Console.standard.line(String(decoding: result.bytes, as: UTF8.self)) }
    }
}

struct ScriptResultsOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Show what results tell, and say yes to them for a collection.",
        discussion: "Weeks before the yes are not told.")

    @OptionGroup var options: ResultsOptions

    @Flag(help: "Say yes without a question.")
    var yes = false

    func run() async throws {
        try await reportingFailures {
            let known = try options.known()
            let console = Console.standard
            console.line("For each script of \(known.name) and each week that has ended, one file like this:")
            ResultsOptions.show([try Self.example])
            console.line(
                "That is everything: no account, no bank's answer, no day, no number of runs. The key is only for this script and "
                    + "this collection. Its makers still see that someone used the script in that week, and, with `send`, your address."
            )
            guard yes || Asking.isPossible else {
                throw CommandFailure("without a terminal, say yes with --yes", status: 2)
            }
            guard yes || Asking.yes("Make such files for \(known.name)? Nothing is sent by itself.") else {
                throw CommandFailure("results for \(known.name) stay off")
            }
            try await options.collections.keeper.allowResults(of: known)
            console.line("On. See them: countersign script results show \(known.name)")
        }
    }

    /// A result of a script and a collection that do not exist, with a key that is forgotten at once.
    private static var example: SignedFieldResult {
        get throws {
            guard let week = ISOWeek("2026-W47"), let outcome = FieldOutcome(.layoutChanged, step: 7) else {
                throw CommandFailure("the example cannot be made")
            }
            let none = String(repeating: "0", count: 64)
            return try SignedFieldResult(
                FieldResult(digest: none, week: week, engine: "html", outcome: outcome),
                by: MetadataSigner(new: .ed25519), for: none)
        }
    }
}

struct ScriptResultsOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Make no more results for a collection, and forget their keys.")

    @OptionGroup var options: ResultsOptions

    func run() async throws {
        try await reportingFailures {
            let known = try options.known()
            try options.collections.keeper.forbidResults(of: known)
            Console.standard.line("Off: \(known.name). Its keys are forgotten.")
        }
    }
}

struct ScriptResultsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the results byte for byte, as they would be sent.")

    @OptionGroup var options: ResultsOptions

    func run() async throws {
        try await reportingFailures {
            let results = try await options.results()
            guard !results.isEmpty else { return Console.standard.error(ResultsOptions.none) }
            ResultsOptions.show(results)
        }
    }
}

struct ScriptResultsWriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write the results as files, to hand over by hand.",
        discussion: "The names of the files tell the script and the week, which the files tell as well.")

    @OptionGroup var options: ResultsOptions

    @Option(help: "The folder for the files.", completion: .directory)
    var output: String

    func run() async throws {
        try await reportingFailures {
            let results = try await options.results()
            let folder = URL(filePath: TypedPath.expanded(output), directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var written = 0
            for result in results {
                let name = "\(result.result.week)-\(result.result.digest.prefix(12)).json"
                let path = folder.appending(path: name).path
                // A result of a week never changes, so a file that is there is the same.
                guard !FileManager.default.fileExists(atPath: path) else { continue }
                try FileManager.default.createFile(exclusively: path, Data(result.bytes))
                // The file's time goes along when it is handed over, and would tell more than the week.
                try FileManager.default.setAttributes([.modificationDate: result.result.week.start], ofItemAtPath: path)
                written += 1
            }
            guard !results.isEmpty else { return Console.standard.line(ResultsOptions.none) }
            Console.standard.line("\(written) new files in \(output), \(results.count - written) were there")
        }
    }
}

struct ScriptResultsSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Show the results, and send them to the collection's address after a yes.",
        discussion: """
            Each file goes by itself, with POST, to /results under the collection's https address; no other place is contacted, and no \
            redirect is followed. The address's server sees where you are on the network, so hand over files where that matters.
            """)

    @OptionGroup var options: ResultsOptions

    @Flag(help: "Say yes without a question.")
    var yes = false

    func run() async throws {
        try await reportingFailures {
            let known = try options.known()
            guard known.kind == .address else {
                throw CommandFailure(
                    "\(known.name) has no address to send to; write the files: countersign script results write \(known.name) "
                        + "--output FOLDER", status: 2)
            }
            let keeper = try options.collections.keeper
            let results = try keeper.undelivered(try await options.results(), of: known)
            guard !results.isEmpty else {
                Console.standard.line("There is nothing new to send.")
                return
            }
            ResultsOptions.show(results)
            guard yes || Asking.isPossible else {
                throw CommandFailure("without a terminal, say yes with --yes", status: 2)
            }
            guard yes || Asking.yes("Send \(results.count.counted("file")) to \(known.place)/results?") else {
                throw CommandFailure("nothing was sent")
            }
            try await keeper.deliver(results, to: known)
            Console.standard.line("Sent: \(results.count.counted("file")) to \(known.name)")
        }
    }
}
