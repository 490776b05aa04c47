import Encodings
import Foundation
import ScriptCollections
import Synchronization
import TestSupport

/// A collection in a folder, its keys, and a reader who trusts its first root.
struct MadeCollection {
    let folder: TemporaryFolder
    var keys: CollectionMaker.Keys
    let now: Date

    static let today = Date(timeIntervalSince1970: 1_795_000_000)
    static let script = "bank: north\nname: Northern Bank\norigins: [https://north.example]\nsteps:\n  - open: /\n"

    static func files(_ text: String = script) -> [CollectionMaker.File] {
        [
            CollectionMaker.File(
                path: "north.yaml", bytes: Array(text.utf8),
                custom: ListedScript(
                    bankID: "north", name: "Northern Bank", country: "gb", kinds: ["pdf"], author: "Ada",
                    path: "north.yaml"
                ).json),
            CollectionMaker.File(path: "de/south.yaml", bytes: Array("bank: south".utf8)),
        ]
    }

    static func someKeys(_ kind: MetadataSigner.Kind = .ed25519, roots: Int = 1) -> CollectionMaker.Keys {
        CollectionMaker.Keys(
            root: (0..<roots).map { _ in MetadataSigner(new: kind) }, targets: [MetadataSigner(new: kind)],
            snapshot: [MetadataSigner(new: kind)], timestamp: [MetadataSigner(new: kind)], rootThreshold: roots)
    }

    init(_ kind: MetadataSigner.Kind = .ed25519, roots: Int = 1, bins: Int = 1, now: Date = today) throws {
        folder = try TemporaryFolder()
        keys = Self.someKeys(kind, roots: roots)
        self.now = now
        try maker.writeRoot(version: 1)
        try maker.write(Self.files(), version: 1, bins: bins)
    }

    var maker: CollectionMaker { CollectionMaker(folder.appending("site"), keys: keys, now: now) }
    var site: URL { folder.appending("site") }

    func write(version: Int, text: String, now: Date? = nil, bins: Int = 1) throws {
        try CollectionMaker(site, keys: keys, now: now ?? self.now).write(
            Self.files(text), version: version, bins: bins)
    }

    /// Makes a new reader, who has the first root from the author.
    func reader(_ name: String = "reader") throws -> MetadataFolder {
        let store = try MetadataFolder(folder.appending(name))
        try CollectionClient.trust(root: try bytes("metadata/1.root.json"), in: store)
        return store
    }

    func client(_ store: MetadataFolder, now: Date? = nil) -> CollectionClient {
        client(FolderSource(site), store, now: now)
    }

    func client(_ source: any CollectionSource, _ store: MetadataFolder, now: Date? = nil) -> CollectionClient {
        CollectionClient(source, store: store, now: now ?? self.now)
    }

    func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: site.appending(path: path))) }

    func remove() { folder.remove() }

    /// Signs metadata as an attacker with some of the keys would, and returns its file.
    static func signed(_ signed: JSONValue, by signers: [MetadataSigner], ids: [String]? = nil) throws -> [UInt8] {
        let bytes = try signed.signedBytes()
        let signatures = try signers.enumerated().map { index, signer -> JSONValue in
            ["keyid": .string(ids?[index] ?? signer.key.id), "sig": .string(try signer.sign(bytes))]
        }
        return (["signed": signed, "signatures": .array(signatures)] as JSONValue).compactBytes()
    }

    /// Returns a signed timestamp of a version that names the snapshot of the same one.
    func timestamp(naming version: Int) throws -> [UInt8] {
        let number = JSONValue.number(Double(version))
        return try Self.signed(
            changed("metadata/timestamp.json") {
                $0["version"] = number
                $0["meta"] = ["snapshot.json": ["version": number]]
            }, by: keys.timestamp)
    }

    /// Reads the signed part of a file, and changes some of its members.
    func changed(_ path: String, _ change: (inout [String: JSONValue]) -> Void) throws -> JSONValue {
        var members = try JSONReader.read(try bytes(path))["signed"]?.objectValue ?? [:]
        change(&members)
        return .object(members)
    }
}

/// A mirror that an attacker runs: some files are other ones.
final class MaliciousMirror: CollectionSource {
    private let source: FolderSource
    private let others: Mutex<[String: [UInt8]?]>

    /// - Parameter others: files by their paths; nil for a file that the mirror hides.
    init(_ site: URL, _ others: [String: [UInt8]?]) {
        source = FolderSource(site)
        self.others = Mutex(others)
    }

    func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8] {
        guard let other = others.withLock({ $0[path] }) else { return try await source.bytes(path, atMost: limit) }
        guard let other else { throw CollectionError(.notFound, "hidden") }
        guard other.count <= limit else { throw CollectionError(.tooLong, "\(path) has more than \(limit) bytes") }
        return other
    }
}
