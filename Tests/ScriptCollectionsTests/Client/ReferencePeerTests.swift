import Crypto
import Encodings
import Foundation
import ScriptCollections
import TestSupport
import Testing

/// The reference implementation of TUF, from PyPI, on the other side.
@Suite("The reference implementation of TUF", .needsPeers, .timeLimit(.minutes(4)))
struct ReferencePeerTests {
    private static func digest(_ bytes: [UInt8]) -> String { Base16.encode(SHA256.hash(data: bytes)) }

    private func peer(_ arguments: String...) async throws -> JSONValue {
        let outcome = try await Peers.run(script: "tuf_collection.py", arguments)
        try #require(outcome.status == 0, "\(String(decoding: outcome.errors, as: UTF8.self))")
        return try JSONReader.read(outcome.output)
    }

    @Test(
        "reads a collection that ours signed, through a change of keys", arguments: MetadataSigner.Kind.allCases,
        [1, 16])
    func ours(kind: MetadataSigner.Kind, bins: Int) async throws {
        // The client of the reference implementation asks the system's clock.
        var made = try MadeCollection(kind, roots: 2, bins: bins, now: Date())
        defer { made.remove() }
        let root = made.site.appending(path: "metadata/1.root.json").path
        let expected = [
            "north.yaml": Self.digest(Array(MadeCollection.script.utf8)),
            "de/south.yaml": Self.digest(Array("bank: south".utf8)),
        ]
        for version in 1...2 {
            let found = try await peer("read", made.site.path, root, "north.yaml", "de/south.yaml", "not-there.yaml")
            #expect(found["north.yaml"]?.stringValue == expected["north.yaml"])
            #expect(found["de/south.yaml"]?.stringValue == expected["de/south.yaml"])
            #expect(found["not-there.yaml"] == .null)
            guard version == 1 else { continue }
            let old = made.keys
            made.keys = MadeCollection.someKeys(kind, roots: 2)
            try made.maker.writeRoot(version: 2, previous: old.root)
            try made.write(version: 2, text: MadeCollection.script, now: Date(), bins: bins)
        }
    }

    @Test("makes a collection that ours reads, through a change of keys")
    func theirs() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let site = folder.appending("site")
        let digest = try await peer("make", site.path)["root"]?.stringValue
        let root = Array(try Data(contentsOf: site.appending(path: "metadata/1.root.json")))
        #expect(Self.digest(root) == digest)
        let store = try MetadataFolder(folder.appending("reader"))
        try CollectionClient.trust(root: root, in: store)
        let client = CollectionClient(FolderSource(site), store: store)
        let first = try await client.update()
        #expect(Set(first.files.keys) == ["east.yaml", "pl/west.yaml"])
        let east = try await client.file("east.yaml", of: first)
        #expect(String(decoding: east, as: UTF8.self).contains("Eastern Bank"))
        _ = try await peer("next", site.path)
        let second = try await client.update()
        #expect(second.version == 2)
        #expect(Set(second.files.keys) == ["east.yaml", "pl/west.yaml", "north.yaml"])
        _ = try await client.file("pl/west.yaml", of: second)
        _ = try await client.file("north.yaml", of: second)
        #expect(try client.trusted().version == 2)
    }
}
