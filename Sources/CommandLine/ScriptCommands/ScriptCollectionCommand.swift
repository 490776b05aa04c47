import ArgumentParser
import BankScript
import Encodings
import Foundation
import Phone
import ScriptCollections
import Terminal

struct ScriptCollectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collection", abstract: "Add and update collections of scripts by others.",
        subcommands: [
            ScriptCollectionAddCommand.self, ScriptCollectionListCommand.self, ScriptCollectionUpdateCommand.self,
            ScriptCollectionRemoveCommand.self, ScriptCollectionMakeCommand.self,
        ])
}

/// The place where collections are kept.
struct CollectionOptions: ParsableArguments {
    @OptionGroup var home: HomeOption

    @OptionGroup var authority: AuthorityOption

    /// - Throws: ``CommandFailure`` when the file of `--ca` holds no authority.
    var keeper: CollectionKeeper {
        get throws { CollectionKeeper(home: PhoneHome(home.folder).folder, authority: try authority.file) }
    }
}

struct ScriptCollectionAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a collection.",
        discussion: """
            A collection is a folder with scripts, such as a git checkout, or a place with signed metadata: a folder with \
            metadata/ and targets/ in it, or its https address. Its author tells you the SHA-256 of the first root, or gives you \
            that file: anyone who can change what you see here could put their own keys into it.

            Nothing of a collection runs before you have read and accepted it.
            """)

    @Argument(help: "A name for it, e.g. neighbours.")
    var name: String

    @Argument(help: "An https address, or a folder.")
    var place: String

    @Option(help: "The root that its author gave you.", completion: .file(extensions: ["json"]))
    var root: String?

    @Option(help: ArgumentHelp("The SHA-256 of its first root, as its author tells it.", valueName: "sha256"))
    var rootDigest: String?

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            let collection = try described()
            try collections.home.checkMayKeep()
            let keeper = try collections.keeper
            var trusted: [UInt8]?
            if collection.kind != .folder {
                let root = try await keeper.root(
                    of: collection, file: root.map { URL(filePath: TypedPath.expanded($0)) })
                try check(root.digest)
                trusted = root.bytes
            }
            let update = try await keeper.add(collection, root: trusted)
            Console.standard.line("Added: \(collection.name), \(update.count.counted("script"))")
            ScriptCollectionUpdateCommand.show(update.refused)
        }
    }

    private func described() throws -> KnownCollection {
        if place.contains("://") { return KnownCollection(name: name, kind: .address, place: place) }
        let folder = URL(filePath: TypedPath.expanded(place), directoryHint: .isDirectory).standardizedFileURL
        let isSigned = FileManager.default.fileExists(atPath: folder.appending(path: "metadata/timestamp.json").path)
        return KnownCollection(name: name, kind: isSigned ? .signedFolder : .folder, place: folder.path)
    }

    /// Compares the root with what the author says, or asks the person to.
    private func check(_ digest: String) throws {
        // A file that the author handed over needs no second proof.
        if root != nil, rootDigest == nil { return }
        if let rootDigest {
            guard rootDigest.lowercased() == digest else {
                throw CommandFailure("the root's SHA-256 is \(digest), not \(rootDigest): the collection was not added")
            }
            return
        }
        guard Asking.isPossible else {
            throw CommandFailure(
                "without a terminal, give --root FILE or --root-digest SHA256 as the collection's author tells it",
                status: 2)
        }
        Console.standard.line("The SHA-256 of its first root is \(digest)")
        guard Asking.yes("Is that what its author told you?") else {
            throw CommandFailure("the collection was not added")
        }
    }
}

struct ScriptCollectionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the collections.")

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            var table = Table("name", "kind", "version", "updated", "place")
            for collection in try collections.keeper.all() {
                table.add(
                    collection.name, collection.kind.rawValue, collection.version.map(String.init) ?? "-",
                    collection.updatedAt?.formatted(.iso8601) ?? "-", collection.place)
            }
            if table.isEmpty {
                Console.standard.line("No collections. Add one: countersign script collection add NAME PLACE")
            } else {
                Console.standard.table(table)
            }
        }
    }
}

struct ScriptCollectionUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Update the lists of collections.",
        discussion: """
            The lists are updated, and nothing else: a script that you accepted stays as it is until you have read the \
            difference and said yes (script get, script accept).
            """)

    @Argument(help: "A collection; by default all.")
    var name: String?

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            let keeper = try collections.keeper
            let all = try name.map { [try keeper.named($0)] } ?? keeper.all()
            var failed = 0
            for collection in all {
                do throws(CollectionError) {
                    let update = try await keeper.update(collection)
                    let version = update.collection.version.map { ", version \($0)" } ?? ""
                    Console.standard.line(
                        "\(collection.name): \(update.count.counted("script"))\(version), \(update.transferred.counted("byte")) transferred"
                    )
                    Self.show(update.refused)
                } catch {
                    failed += 1
                    Console.standard.line("\(collection.name): refused (\(error.kind.rawValue)): \(error)", .bad)
                }
            }
            if failed > 0 { throw ExitCode(1) }
        }
    }

    static func show(_ refused: [ScriptTree.Refusal]) {
        for refusal in refused.prefix(20) {
            Console.standard.line("  left out: \(refusal.path): \(refusal.message.inLine(limit: 300))", .bad)
        }
    }
}

struct ScriptCollectionRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a collection.",
        discussion: "Scripts that you took from it and accepted stay.")

    @Argument(help: "The collection's name.")
    var name: String

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            let keeper = try collections.keeper
            try keeper.remove(try keeper.named(name))
            Console.standard.line("Removed: \(name)")
        }
    }
}
