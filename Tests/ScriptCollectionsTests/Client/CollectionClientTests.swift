import Encodings
import Foundation
import ScriptCollections
import Synchronization
import TestSupport
import Testing

@Suite("Reading a collection")
struct CollectionClientTests {
    @Test("takes what its author signed, with keys of either kind", arguments: MetadataSigner.Kind.allCases)
    func happy(kind: MetadataSigner.Kind) async throws {
        let made = try MadeCollection(kind)
        defer { made.remove() }
        let store = try made.reader()
        let verified = try await made.client(store).update()
        #expect(Set(verified.files.keys) == ["north.yaml", "de/south.yaml"])
        let bytes = try await made.client(store).file("north.yaml", of: verified)
        #expect(String(decoding: bytes, as: UTF8.self) == MadeCollection.script)
        let listed = ListedScript(verified.facts(of: "north.yaml")?.custom, path: "north.yaml")
        #expect(listed.country == "gb" && listed.author == "Ada")
    }

    @Test("transfers only the list that changed")
    func changed() async throws {
        let made = try MadeCollection(bins: 16)
        defer { made.remove() }
        let store = try made.reader()
        let first = CountingSource(FolderSource(made.site))
        _ = try await made.client(first, store).update()
        let same = CountingSource(FolderSource(made.site))
        _ = try await made.client(same, store).update()
        try made.write(version: 2, text: MadeCollection.script + "  - follow: More\n", bins: 16)
        let second = CountingSource(FolderSource(made.site))
        let verified = try await made.client(second, store).update()
        #expect(verified.version == 2)
        #expect(same.count == (try made.bytes("metadata/timestamp.json").count))
        #expect(second.count < first.count)
        let names = try FileManager.default.contentsOfDirectory(atPath: made.site.appending(path: "metadata").path)
        #expect(names.count { $0.hasPrefix("2.bin-") } == 1)
    }

    @Test("reads back what it trusted, without the collection's place")
    func offline() async throws {
        let made = try MadeCollection(bins: 16)
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        try FileManager.default.removeItem(at: made.site)
        #expect(Set(try made.client(store).trusted().files.keys) == ["north.yaml", "de/south.yaml"])
    }

    @Test(
        "keeps what it trusted when the connection ends at any file of an update, and takes all the next time",
        arguments: 0...6)
    func cut(files: Int) async throws {
        let made = try MadeCollection(bins: 16)
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        let old = try made.client(store).trusted()
        try made.write(version: 2, text: MadeCollection.script + "  - follow: More\n", bins: 16)
        let source = CutSource(FolderSource(made.site), after: files)
        if let new = try? await made.client(source, store).update() {
            #expect(new.version == 2)
        } else {
            let kept = try made.client(store).trusted()
            #expect(kept.version == 1 && kept.files.keys == old.files.keys)
        }
        // A root, the timestamp, the snapshot, the top list, and the one list that has changed.
        #expect(source.isCut == (files < 5))
        #expect(try await made.client(store).update().version == 2)
        let trusted = try made.client(store).trusted()
        #expect(trusted.version == 2)
        let script = try await made.client(store).file("north.yaml", of: trusted)
        #expect(String(decoding: script, as: UTF8.self).hasSuffix("  - follow: More\n"))
    }

    @Test("keeps fields that it does not know, because they are signed too")
    func unknown() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let timestamp = try MadeCollection.signed(
            made.changed("metadata/timestamp.json") { $0["x-note"] = "a “note” with \\ and \n" },
            by: made.keys.timestamp)
        let mirror = MaliciousMirror(made.site, ["metadata/timestamp.json": timestamp])
        #expect(try await made.client(mirror, try made.reader()).update().version == 1)
    }
}

/// A source whose connection ends after some files.
private final class CutSource: CollectionSource {
    private let source: FolderSource
    private let left: Mutex<Int>
    private let cut = Mutex(false)

    init(_ source: FolderSource, after files: Int) {
        self.source = source
        left = Mutex(files)
    }

    var isCut: Bool { cut.withLock(\.self) }

    func bytes(_ path: String, atMost limit: Int) async throws(CollectionError) -> [UInt8] {
        let hasEnded = left.withLock { left in
            left -= 1
            return left < 0
        }
        if hasEnded {
            cut.withLock { $0 = true }
            throw CollectionError(.unreachable, "the connection ended")
        }
        return try await source.bytes(path, atMost: limit)
    }
}
