import ArgumentParser
import Automation
import BankScript
import Encodings
import Foundation
import Phone
import ScriptCollections
import Terminal

struct ScriptGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show a script of a collection, and keep it after a yes.",
        discussion: """
            The script is fetched, checked against what the collection has signed, and read here: its lint, what it does, what \
            leaves and where to, its digest, and the difference from the version that you accepted. After a yes it is written to \
            the file of --output. It runs only after script accept.

            Without a terminal, name the script with --digest.

            Exit status: 0 kept, 1 not kept, 2 usage, 3 the file is not a valid script.
            """)

    @Argument(help: "The bank's id.")
    var bank: String

    @Option(help: "The collection, where several have a script for the bank.")
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The file to keep it in, e.g. bank-scripts/my-bank.yaml. Without it, nothing is kept.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var output: String?

    @Option(help: "The script's digest, or its first twelve or more digits; keeps it without a question.")
    var digest: String?

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            if let digest { try ScriptDigest.checkLength(of: digest) }
            try checkPlace()
            let keeper = try collections.keeper
            let (collection, listed) = try choice(among: try keeper.scripts(ofBank: bank), of: keeper)
            let bytes = try await keeper.file(listed.path, of: collection)
            let source = try ScriptFile(fetched: bytes, path: "\(collection.name):\(listed.path)")
            let script = try source.script()
            guard script.id == bank else {
                throw CommandFailure("\(source.path) is a script for “\(script.id.inLine())”, not for \(bank)")
            }
            let accepted = AcceptedScripts(home: PhoneHome(collections.home.folder).folder)
            let previous = try accepted.previous(to: script)
            let isAccepted = try accepted.digests().contains(script.digest)
            let console = Console.standard
            console.line("From \(collection.name), \(listed.path)", .faint)
            if !listed.author.isEmpty { console.line("By \(listed.author), as the collection says", .faint) }
            console.show(AcceptanceDescription(of: script, after: previous).lines)
            console.show(ScriptImitation(of: script, accepted: try accepted.all()).lines)
            let vouches = try await vouches(beside: listed.path, of: collection, keeper)
            console.show(try ScriptVouches(of: script, home: PhoneHome(collections.home.folder), text: vouches).lines)
            if let results = try await keeper.described(listed.path, of: collection)?.results {
                console.line("In the field: \(results.words), as the collection says")
            }
            if isAccepted { console.line("You have accepted exactly this version.") }
            if let before = previous?.disclosure {
                for origin in ScriptDisclosure(script).newOrigins(since: before) {
                    console.line("NEW ORIGIN: \(origin). The version that you accepted never contacts it.", .bad)
                }
            }
            try keep(source, script, vouches)
        }
    }

    /// Checks that the script can be written, before a person reads it. A script and its vouches are not written over: a version
    /// that was edited or accepted would be lost.
    private func checkPlace() throws {
        guard let output else { return }
        try FileManager.default.checkFolder(ofNew: output)
        for path in [output, ScriptVouches.file(for: output)]
        where FileManager.default.fileExists(atPath: TypedPath.expanded(path)) {
            throw CommandFailure("\(path) already exists; move it away or give --output another name", status: 2)
        }
    }

    private func choice(
        among found: [(KnownCollection, ListedScript)], of keeper: CollectionKeeper
    ) throws -> (KnownCollection, ListedScript) {
        let fitting = from.map { name in found.filter { $0.0.name == name } } ?? found
        guard let first = fitting.first else {
            let id = bank.inLine(limit: 80)
            guard try !keeper.all().isEmpty else {
                throw CommandFailure(
                    "no collection of scripts is known here, and so no script for “\(id)”; add one with: countersign script "
                        + "collection add NAME PLACE, or draft a script with: countersign script new")
            }
            throw CommandFailure(
                "no collection\(from.map { " “\($0)”" } ?? "") has a script for “\(id)”; bring them up to date with: "
                    + "countersign script collection update, or draft a script with: countersign script new")
        }
        guard fitting.count == 1 else {
            let places = fitting.map { "\($0.0.name) (\($0.1.path))" }.joined(separator: ", ")
            throw CommandFailure("several scripts are for \(bank): \(places); name one with --from", status: 2)
        }
        return first
    }

    /// Returns the vouches that a collection has for a script; nil without any.
    private func vouches(
        beside path: String, of collection: KnownCollection, _ keeper: CollectionKeeper
    ) async throws(CollectionError) -> String? {
        do throws(CollectionError) {
            let bytes = try await keeper.file(ScriptVouches.file(for: path), of: collection)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    private func keep(_ source: ScriptFile, _ script: BankScript, _ vouches: String?) throws {
        guard let output else {
            Console.standard.line("Nothing is kept: give --output for that.", .faint)
            return
        }
        if let digest {
            try script.digest.checkIsMeant(by: digest)
        } else {
            guard Asking.isPossible else {
                throw CommandFailure(
                    "without a terminal, give --digest \(script.digest.short) if that is the script you read", status: 2
                )
            }
            guard Asking.yes("Keep it as \(output)? It runs only after you accept it.") else {
                throw CommandFailure("the script was not kept")
            }
        }
        try ScriptLint.refuse(script, source: source.text)
        let file = TypedPath.expanded(output)
        try write(source.text, to: file)
        if let vouches { try write(vouches, to: ScriptVouches.file(for: file)) }
        Console.standard.line("Kept: \(output). To let it run: countersign script accept \(output)")
    }

    private func write(_ text: String, to file: String) throws {
        try FileManager.default.createFile(exclusively: file, Data(text.utf8))
    }
}
