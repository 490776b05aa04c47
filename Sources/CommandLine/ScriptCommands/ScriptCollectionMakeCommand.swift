import ArgumentParser
import Authoring
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Machine
import ScriptCollections
import Terminal

struct ScriptCollectionMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Check and sign a collection of your scripts.",
        discussion: """
            Reads a folder with scripts, their matrices (NAME.test.yaml), vouches (NAME.vouch) and masked recordings (NAME.har), refuses one that lint \
            finds errors in or that shows what it should not, and writes metadata/ and targets/ for a web server. The folder \
            --keys holds root.key, targets.key, snapshot.key and timestamp.key; they are made if the folder is empty. Keep \
            root.key on another medium, and put it back for a change of keys.

            With --results, the files with field results in that folder are folded into a summary of each script that \
            at least three keys tell of. Each key counts once in a week. Strangers can make keys: a summary is a hint.

            A masked recording still has the names, addresses and purposes of payments of its pages: read it before you \
            publish it. The matrices are published, not run: `countersign script test FILE` runs one.

            A file collection.json may name authors and countries: {"author": "Ada", "scripts": {"my-bank.yaml": {"country": "de"}}}.
            """)

    @Argument(help: "The folder with the scripts.", completion: .directory)
    var folder: String

    @Option(help: "The folder for metadata/ and targets/.", completion: .directory)
    var output: String

    @Option(help: "The folder with the keys.", completion: .directory)
    var keys: String

    @Option(
        help: "The number of lists to spread the scripts over: 1, 16 or 256. A change then costs readers one of them.")
    var bins: Int = 1

    @Flag(
        help: "Write a new root, after a change of keys. The folder previous in the key folder holds the old root keys."
    )
    var newRoot = false

    @Option(
        help: ArgumentHelp("The folder with the files that owners sent (script results).", valueName: "folder"),
        completion: .directory)
    var results: String?

    func validate() throws {
        guard [1, 16, 256].contains(bins) else { throw ValidationError("--bins must be 1, 16 or 256") }
    }

    func run() async throws {
        try await reportingFailures {
            let tree = ScriptTree(URL(filePath: TypedPath.expanded(folder)))
            let (files, warnings) = try self.files(of: tree)
            for warning in warnings { Console.standard.error("warning: \(warning)") }
            let keyFolder = CollectionKeys(URL(filePath: TypedPath.expanded(keys)))
            let found = try keyFolder.load()
            let maker = CollectionMaker(URL(filePath: TypedPath.expanded(output)), keys: found.keys)
            if maker.latestRoot == 0 || newRoot {
                guard !found.keys.root.isEmpty else {
                    throw CommandFailure("root.key is not in \(keys); put it back there to write a root", status: 2)
                }
                let version = maker.latestRoot + 1
                let bytes = try maker.writeRoot(version: version, previous: found.previous)
                Console.standard.line("Root \(version), SHA-256 \(RootDigest.hex(of: bytes)): tell it to your readers")
            }
            let version = maker.latestVersion + 1
            try maker.write(try results.map { try folded($0, into: files) } ?? files, version: version, bins: bins)
            let count = files.count { ListedScript.isScript($0.path) }
            Console.standard.line("Version \(version) with \(count.counted("script")): \(output)")
        }
    }

    /// Adds the summaries of the results to what the lists say of each script.
    private func folded(_ results: String, into files: [CollectionMaker.File]) throws -> [CollectionMaker.File] {
        let root = URL(filePath: TypedPath.expanded(output)).appending(path: "metadata/1.root.json")
        guard let first = try? OpenedFile(root, links: .followed).bytes(atMost: 1 << 20) else {
            throw CommandFailure(
                "metadata/1.root.json is not in \(output), and results are signed for it; put it back there", status: 2)
        }
        let listed = files.map { $0.custom.map { custom in ListedScript(custom, path: "") } }
        let fold = try ResultFold(
            URL(filePath: TypedPath.expanded(results)), for: RootDigest.hex(of: first),
            digests: Set(listed.compactMap { $0?.digest }), now: Date())
        for (file, reason) in fold.refused { Console.standard.line("  left out: \(file): \(reason)", .bad) }
        Console.standard.line(
            "Results: \(fold.counted) count, \(fold.refusedCount) do not. Scripts with a summary: \(fold.summaries.count)"
        )
        return zip(files, listed).map { file, listed in
            guard var listed, let summary = fold.summaries[listed.digest] else { return file }
            listed = ListedScript(file.custom, path: file.path)
            listed.results = summary
            return CollectionMaker.File(path: file.path, bytes: file.bytes, custom: listed.json)
        }
    }

    /// Returns what to publish, with warnings about what the maker may not have meant.
    private func files(of tree: ScriptTree) throws -> (files: [CollectionMaker.File], warnings: [String]) {
        let about = try tree.about()
        let paths = try tree.paths()
        var warnings = ScriptTree.faults(of: about, naming: paths)
        let files: [CollectionMaker.File] = try paths.compactMap { path in
            let bytes = try tree.bytes(path)
            if ListedScript.isScript(path) {
                let source = try ScriptFile(fetched: bytes, path: path)
                let script = try source.script()
                try ScriptLint.refuse(script, source: source.text)
                if script.isForTesting {
                    warnings.append("\(path) is for testing: it reaches nothing but its reader's own machine")
                }
                let (country, author) = ScriptTree.about(path, in: about)
                return CollectionMaker.File(
                    path: path, bytes: bytes,
                    custom: ListedScript(script, country: country, author: author, path: path).json)
            }
            if path.hasSuffix(".har") {
                let archive: HTTPArchive
                do {
                    archive = try HTTPArchive(reading: bytes)
                } catch {
                    throw CommandFailure("\(path): \(error)", status: 3)
                }
                if let fault = MaskedRecording.fault(in: archive) {
                    throw CommandFailure("\(path) holds what a recording must not show: \(fault)", status: 3)
                }
                warnings.append("\(path) is published. \(MaskedRecording.whatStays)")
                return CollectionMaker.File(path: path, bytes: bytes)
            }
            if path.hasSuffix(".vouch") {
                do {
                    _ = try Vouch.all(in: String(decoding: bytes, as: UTF8.self))
                } catch {
                    throw CommandFailure("\(path): \(error)", status: 3)
                }
                return CollectionMaker.File(path: path, bytes: bytes)
            }
            guard path.hasSuffix(".test.yaml") || path.hasSuffix(".test.yml") else { return nil }
            return CollectionMaker.File(path: path, bytes: bytes)
        }
        return (files, warnings)
    }
}
