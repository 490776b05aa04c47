import Encodings
import Foundation
import ScriptCollections
import TestSupport
import Testing

/// The attacks of the TUF specification 1.0.34, section 1.5.2, each as what a reader does about it.
@Suite("Attacks on a collection")
struct AttackTests {
    /// Runs an update, and returns why it was refused; nil if it was not.
    private func refusal(_ client: CollectionClient) async -> CollectionError.Kind? {
        do throws(CollectionError) {
            _ = try await client.update()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("arbitrary installation: a script that is not signed is not taken")
    func arbitrary() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        let verified = try await made.client(store).update()
        let facts = try #require(verified.facts(of: "north.yaml"))
        let path = "targets/\(facts.hashes["sha256"] ?? "").north.yaml"
        let evil = Array(MadeCollection.script.replacing("north.example", with: "evil0.example").utf8)
        #expect(evil.count == facts.length)
        let mirror = MaliciousMirror(made.site, [path: evil])
        await #expect(throws: CollectionError.self) {
            _ = try await made.client(mirror, store).file("north.yaml", of: verified)
        }
        // Lists of the attacker's own, with the attacker's keys.
        let attacker = try MadeCollection()
        defer { attacker.remove() }
        #expect(await refusal(made.client(FolderSource(attacker.site), try made.reader("second"))) == .unsigned)
    }

    @Test("wrong software: one script in the place of another")
    func other() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        let verified = try await made.client(store).update()
        let path = "targets/\(verified.facts(of: "north.yaml")?.hashes["sha256"] ?? "").north.yaml"
        let mirror = MaliciousMirror(made.site, [path: Array("bank: south".utf8)])
        await #expect {
            _ = try await made.client(mirror, store).file("north.yaml", of: verified)
        } throws: { ($0 as? CollectionError)?.kind == .mismatch }
    }

    @Test("rollback: an older timestamp, snapshot or list is refused")
    func rollback() async throws {
        var made = try MadeCollection()
        defer { made.remove() }
        let oldTimestamp = try made.bytes("metadata/timestamp.json")
        let store = try made.reader()
        try made.write(version: 2, text: MadeCollection.script + "  - follow: More\n")
        #expect(try await made.client(store).update().version == 2)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/timestamp.json": oldTimestamp]), store))
                == .rollback)
        // With the timestamp's key, an attacker names the old snapshot anew.
        let facts = try JSONReader.read(oldTimestamp)["signed"]?["meta"] ?? .null
        let named = try made.changed("metadata/timestamp.json") {
            $0["version"] = 3
            $0["meta"] = facts
        }
        let signed = try MadeCollection.signed(named, by: made.keys.timestamp)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/timestamp.json": signed]), store))
                == .rollback)
        // With the snapshot's key as well, an attacker names the old list in a new snapshot, or none.
        for files in [["targets.json": ["version": 1]] as JSONValue, ["targets.json": ["version": 2]]] {
            let lists = files
            let snapshot = try MadeCollection.signed(
                made.changed("metadata/2.snapshot.json") {
                    $0["version"] = 3
                    $0["meta"] = lists
                }, by: made.keys.snapshot)
            let timestamp = try made.timestamp(naming: 3)
            let mirror = MaliciousMirror(
                made.site, ["metadata/timestamp.json": timestamp, "metadata/3.snapshot.json": snapshot])
            let isOld = lists["targets.json"]?["version"]?.intValue == 1
            #expect(await refusal(made.client(mirror, try copy(of: store, made))) == (isOld ? .rollback : nil))
        }
        made.keys.timestamp = []
    }

    @Test("rollback: a list that was there may not go")
    func goneList() async throws {
        let made = try MadeCollection(bins: 16)
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        let snapshot = try MadeCollection.signed(
            made.changed("metadata/1.snapshot.json") { members in
                members["version"] = 2
                var files = members["meta"]?.objectValue ?? [:]
                files["bin-0.json"] = nil
                members["meta"] = .object(files)
            }, by: made.keys.snapshot)
        let timestamp = try made.timestamp(naming: 2)
        let mirror = MaliciousMirror(
            made.site, ["metadata/timestamp.json": timestamp, "metadata/2.snapshot.json": snapshot])
        #expect(await refusal(made.client(mirror, store)) == .rollback)
    }

    /// Returns a reader in the same state as another.
    private func copy(of store: MetadataFolder, _ made: MadeCollection) throws -> MetadataFolder {
        let place = made.folder.appending("copy-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: made.folder.appending("reader"), to: place)
        return try MetadataFolder(place)
    }

    @Test(
        "freeze: what has expired is refused, role by role",
        arguments: [(15, "timestamp"), (91, "snapshot"), (366, "root")])
    func freeze(days: Int, role: String) async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        let later = made.now.addingTimeInterval(Double(days) * 86_400)
        #expect(await refusal(made.client(store, now: later)) == .expired)
        #expect(throws: CollectionError.self) { _ = try made.client(store, now: later).trusted() }
        // Another reader, who has seen nothing yet, is not fooled either.
        #expect(await refusal(made.client(try made.reader("second"), now: later)) == .expired)
    }

    @Test("mix-and-match: a snapshot and a list that were never there together are refused")
    func mixed() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let old = try made.bytes("metadata/1.targets.json")
        try made.write(version: 2, text: MadeCollection.script + "  - follow: More\n")
        let store = try made.reader()
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/2.targets.json": old]), store)) == .mismatch
        )
        let oldSnapshot = try made.bytes("metadata/1.snapshot.json")
        // The old one may also be longer than the signed length of the new one.
        let mirror = MaliciousMirror(made.site, ["metadata/2.snapshot.json": oldSnapshot])
        let kind = await refusal(made.client(mirror, try made.reader("second")))
        #expect(kind == .mismatch || kind == .tooLong)
    }

    @Test("endless data: a file ends at its signed length, or at the limit of its role")
    func endless() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        let endless = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/timestamp.json": endless]), store))
                == .tooLong)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/2.root.json": endless]), store)) == .tooLong
        )
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/1.snapshot.json": endless]), store))
                == .tooLong)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/1.targets.json": endless]), store))
                == .tooLong)
        let verified = try await made.client(store).update()
        let path = "targets/\(verified.facts(of: "north.yaml")?.hashes["sha256"] ?? "").north.yaml"
        await #expect {
            _ = try await made.client(MaliciousMirror(made.site, [path: endless]), store).file(
                "north.yaml", of: verified)
        } throws: { ($0 as? CollectionError)?.kind == .tooLong }
    }

    @Test("wrong length: a file that is shorter or longer than its signed length is refused", arguments: [-1, 1])
    func length(difference: Int) async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        var snapshot = try made.bytes("metadata/1.snapshot.json")
        if difference < 0 { snapshot.removeLast() } else { snapshot.append(UInt8(ascii: "\n")) }
        let kind = await refusal(made.client(MaliciousMirror(made.site, ["metadata/1.snapshot.json": snapshot]), store))
        #expect(kind == (difference < 0 ? .mismatch : .tooLong))
    }

    @Test("wrong keys: a role's metadata counts with that role's keys only")
    func wrongKeys() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        for signers in [made.keys.snapshot, made.keys.targets, [MetadataSigner(new: .p256)], []] {
            let timestamp = try MadeCollection.signed(made.changed("metadata/timestamp.json") { _ in }, by: signers)
            let mirror = MaliciousMirror(made.site, ["metadata/timestamp.json": timestamp])
            #expect(await refusal(made.client(mirror, try made.reader(UUID().uuidString))) == .unsigned)
        }
    }

    @Test("fewer than the threshold: one key does not sign twice, under two names or in two signatures")
    func threshold() throws {
        let keys = MadeCollection.someKeys(roots: 2)
        let made = try TemporaryFolder()
        defer { made.remove() }
        let maker = CollectionMaker(made.appending("site"), keys: keys, now: MadeCollection.today)
        let root = try maker.writeRoot(version: 1)
        let store = try MetadataFolder(made.appending("reader"))
        try CollectionClient.trust(root: root, in: store)
        let signed = try JSONReader.read(root)["signed"] ?? .null
        let once = try MadeCollection.signed(signed, by: [keys.root[0]])
        #expect(throws: CollectionError.self) { try CollectionClient.trust(root: once, in: store) }
        let twice = try MadeCollection.signed(signed, by: [keys.root[0], keys.root[0]])
        #expect {
            try CollectionClient.trust(root: twice, in: store)
        } throws: { ($0 as? CollectionError)?.kind == .malformed }
        // The same key again, listed under a second name.
        var members = signed.objectValue ?? [:]
        var listed = members["keys"]?.objectValue ?? [:]
        let alias = String(repeating: "a", count: 64)
        listed[alias] = keys.root[0].key.json
        members["keys"] = .object(listed)
        var roles = members["roles"]?.objectValue ?? [:]
        roles["root"] = ["keyids": [.string(keys.root[0].key.id), .string(alias)], "threshold": 2]
        members["roles"] = .object(roles)
        let aliased = try MadeCollection.signed(
            .object(members), by: [keys.root[0], keys.root[0]], ids: [keys.root[0].key.id, alias])
        #expect {
            try CollectionClient.trust(root: aliased, in: store)
        } throws: { ($0 as? CollectionError)?.kind == .unsigned }
    }

    @Test("a mirror that hides files is refused, and what was trusted stays")
    func hidden() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        let mirror = MaliciousMirror(made.site, ["metadata/timestamp.json": nil as [UInt8]?])
        #expect(await refusal(made.client(mirror, store)) == .notFound)
        #expect(try made.client(store).trusted().version == 1)
    }

    @Test("key compromise: a new root takes a stolen key out, and only the old root's keys can bring one in")
    func rotation() async throws {
        var made = try MadeCollection()
        defer { made.remove() }
        let store = try made.reader()
        _ = try await made.client(store).update()
        let stolen = made.keys
        // Fast-forward: with the stolen keys, the versions are as high as they go.
        let high = try MadeCollection.signed(
            made.changed("metadata/timestamp.json") {
                $0["version"] = 1_000_000
                $0["meta"] = ["snapshot.json": ["version": 1_000_000]]
            }, by: stolen.timestamp)
        let snapshot = try MadeCollection.signed(
            made.changed("metadata/1.snapshot.json") { $0["version"] = 1_000_000 }, by: stolen.snapshot)
        let attack = MaliciousMirror(
            made.site, ["metadata/timestamp.json": high, "metadata/1000000.snapshot.json": snapshot])
        #expect(try await made.client(attack, store).update().version == 1_000_000)
        made.keys = MadeCollection.someKeys(.p256)
        // A root that the old keys have not signed brings nothing in.
        try made.maker.writeRoot(version: 2)
        #expect(await refusal(made.client(store)) == .unsigned)
        try made.maker.writeRoot(version: 2, previous: stolen.root)
        try made.write(version: 2, text: MadeCollection.script)
        #expect(try await made.client(store).update().version == 2)
        // The old keys are worth nothing now.
        #expect(await refusal(made.client(attack, store)) == .unsigned)
    }

    @Test("a root's version may not skip one")
    func skippedRoot() async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let root = try MadeCollection.signed(
            made.changed("metadata/1.root.json") { $0["version"] = 3 }, by: made.keys.root)
        #expect(
            await refusal(made.client(MaliciousMirror(made.site, ["metadata/2.root.json": root]), try made.reader()))
                == .rollback)
    }

    @Test("a list may name only the paths that it was trusted with")
    func delegation() async throws {
        let made = try MadeCollection(bins: 16)
        defer { made.remove() }
        let verified = try await made.client(try made.reader()).update()
        #expect(Set(verified.files.keys) == ["north.yaml", "de/south.yaml"])
        let evil = verified.facts(of: "not-there.yaml")
        #expect(evil == nil)
        // With the targets' key, one bin names a path of another bin.
        let bins = (0..<16).map { "bin-" + String($0, radix: 16) }
        let home = try #require(
            try bins.first {
                try JSONReader.read(made.bytes("metadata/1.\($0).json"))["signed"]?["targets"]?["north.yaml"] != nil
            })
        let stranger = try #require(bins.first { $0 != home })
        let facts = try JSONReader.read(made.bytes("metadata/1.\(home).json"))["signed"]?["targets"]?["north.yaml"]
        let emptied = try MadeCollection.signed(
            made.changed("metadata/1.\(home).json") {
                $0["version"] = 2
                $0["targets"] = [:]
            }, by: made.keys.targets)
        let filled = try MadeCollection.signed(
            made.changed("metadata/1.\(stranger).json") {
                $0["version"] = 2
                $0["targets"] = ["north.yaml": facts ?? .null]
            }, by: made.keys.targets)
        let snapshot = try MadeCollection.signed(
            made.changed("metadata/1.snapshot.json") { members in
                var files = members["meta"]?.objectValue ?? [:]
                files["\(home).json"] = ["version": 2]
                files["\(stranger).json"] = ["version": 2]
                members["meta"] = .object(files)
                members["version"] = 2
            }, by: made.keys.snapshot)
        let timestamp = try made.timestamp(naming: 2)
        let mirror = MaliciousMirror(
            made.site,
            [
                "metadata/timestamp.json": timestamp, "metadata/2.snapshot.json": snapshot,
                "metadata/2.\(home).json": emptied, "metadata/2.\(stranger).json": filled,
            ])
        let after = try await made.client(mirror, try made.reader("second")).update()
        #expect(after.facts(of: "north.yaml") == nil)
        #expect(Set(after.files.keys) == ["de/south.yaml"])
    }

    @Test(
        "a path that leads out of the folder, or means another file elsewhere, is not fetched",
        arguments: [
            "../north.yaml", "/etc/passwd", "a//b", "a/../b", "C:evil", "con", "a\\b", "ä.yaml", "a/.hidden", "a\u{0}b",
        ])
    func paths(path: String) async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        #expect(throws: CollectionError.self) {
            try made.maker.write([CollectionMaker.File(path: path, bytes: [1])], version: 2)
        }
        let store = try made.reader()
        let verified = try await made.client(store).update()
        await #expect {
            _ = try await made.client(store).file(path, of: verified)
        } throws: { ($0 as? CollectionError)?.kind == .unsafePath }
    }

    @Test(
        "metadata that is broken is refused",
        arguments: ["", "{}", "[]", #"{"signed": {}, "signatures": []}"#, "{\"signed\""])
    func broken(text: String) async throws {
        let made = try MadeCollection()
        defer { made.remove() }
        let mirror = MaliciousMirror(made.site, ["metadata/timestamp.json": Array(text.utf8)])
        let kind = await refusal(made.client(mirror, try made.reader()))
        #expect(kind == .malformed || kind == .unsigned)
    }
}
