import Encodings
import Foundation

/// Fetches a collection's metadata and files, and trusts nothing that is not signed, fresh and consistent: the detailed client
/// workflow of the TUF specification 1.0.34, section 5.
package struct CollectionClient: Sendable {
    /// The most bytes of metadata whose length nothing signed tells (section 5.3.3 and after).
    package struct Limits: Sendable {
        package var root = 512_000
        package var timestamp = 16_384
        package var snapshot = 4 << 20
        package var targets = 64 << 20
        /// The most new roots in one update (section 5.3.3).
        package var roots = 256

        package init() {}
    }

    private let source: any CollectionSource
    private let store: MetadataFolder
    /// The time at which the update began: a server that stalls cannot outlive an expiry (section 5.2).
    private let now: Date
    private let limits: Limits

    package init(_ source: any CollectionSource, store: MetadataFolder, now: Date = Date(), limits: Limits = Limits()) {
        self.source = source
        self.store = store
        self.now = now
        self.limits = limits
    }

    /// Trusts a root for the first time. The person has its digest, or the file itself, from the collection's author.
    ///
    /// - Throws: ``CollectionError`` for a root that its own keys have not signed.
    package static func trust(root bytes: [UInt8], in store: MetadataFolder) throws(CollectionError) {
        let metadata = try SignedMetadata(bytes, named: "root")
        try metadata.verify(try RootMetadata(metadata).root, of: "root")
        for role in ["timestamp", "snapshot", "targets"] { store.remove(role) }
        try store.write("root", bytes)
    }

    /// Updates the metadata.
    ///
    /// - Throws: ``CollectionError``. The metadata that was trusted before stays.
    package func update() async throws(CollectionError) -> VerifiedCollection {
        let root = try await updateRoot()
        let timestamp = try await updateTimestamp(root)
        let snapshot = try await updateSnapshot(root, timestamp)
        let (collection, lists) = try await updateLists(root, snapshot.metadata)
        // Only now, so that a connection which ends in the middle leaves a snapshot with its own lists. The timestamp, which
        // keeps an older snapshot from coming back, is kept before.
        for (name, bytes) in lists { try store.write(name, bytes) }
        if let bytes = snapshot.new { try store.write("snapshot", bytes) }
        return collection
    }

    /// Returns the metadata that was trusted last, without a network. Expired metadata is refused.
    package func trusted() throws(CollectionError) -> VerifiedCollection {
        let root = try trustedRoot()
        try root.head.check(at: now, named: "root")
        func read(_ role: String, _ signing: SigningRole) throws(CollectionError) -> SignedMetadata {
            guard let bytes = store.read(role) else {
                throw CollectionError(
                    .notFound, "the collection was never updated: countersign script collection update")
            }
            let metadata = try SignedMetadata(bytes, named: role)
            try metadata.verify(signing, of: role)
            return metadata
        }
        let timestamp = try TimestampMetadata(try read("timestamp", root.timestamp))
        try timestamp.head.check(at: now, named: "timestamp")
        let snapshot = try SnapshotMetadata(try read("snapshot", root.snapshot))
        try snapshot.head.check(at: now, named: "snapshot")
        var lists: [String: TargetsMetadata] = [:]
        var work: [(String, SigningRole)] = [("targets", root.targets)]
        while let (name, role) = work.popLast() {
            guard lists.count < VerifiedCollection.mostLists else { break }
            let metadata = try read(name, role)
            guard lists[name] == nil else { continue }
            let list = try TargetsMetadata(metadata, named: name)
            guard list.head.version == snapshot.files["\(name).json"]?.version else {
                throw CollectionError(
                    .mismatch,
                    "\(name) is not of the version that the snapshot names; if an update was interrupted, repeat it: "
                        + "countersign script collection update")
            }
            try list.head.check(at: now, named: name)
            lists[name] = list
            work += list.delegations.reversed().map { ($0.name, $0.role) }
        }
        return VerifiedCollection(isConsistent: root.isConsistent, lists: lists, version: snapshot.head.version)
    }

    /// Fetches a file that the collection names, and checks its length and hashes (section 5.7).
    package func file(_ path: String, of collection: VerifiedCollection) async throws(CollectionError) -> [UInt8] {
        try CollectionPath.check(path)
        guard let facts = collection.facts(of: path), let length = facts.length else {
            throw CollectionError(.notFound, "the collection does not name \(path.inLine(limit: 120))")
        }
        var place = path
        // Section 6.2: under a name with its hash, a file stays while the next version is written.
        if collection.isConsistent, let hash = facts.hashes["sha256"] ?? facts.hashes["sha512"] {
            var names = path.split(separator: "/").map(String.init)
            names[names.count - 1] = "\(hash).\(names[names.count - 1])"
            place = names.joined(separator: "/")
        }
        let bytes = try await source.bytes("targets/\(place)", atMost: length)
        try facts.check(bytes, named: path)
        return bytes
    }

    // MARK: Root

    private func trustedRoot() throws(CollectionError) -> RootMetadata {
        guard let bytes = store.read("root") else {
            throw CollectionError(.notFound, "no root is trusted yet: countersign script collection add NAME PLACE")
        }
        let metadata = try SignedMetadata(bytes, named: "root")
        let root = try RootMetadata(metadata)
        try metadata.verify(root.root, of: "root")
        return root
    }

    /// Section 5.3. Each root is signed by enough keys of the one before it and of its own.
    private func updateRoot() async throws(CollectionError) -> RootMetadata {
        let first = try trustedRoot()
        var root = first
        for _ in 0..<limits.roots {
            let next = root.head.version + 1
            let bytes: [UInt8]
            do {
                bytes = try await source.bytes("metadata/\(next).root.json", atMost: limits.root)
            } catch {
                guard error.kind == .notFound else { throw error }
                break
            }
            let metadata = try SignedMetadata(bytes, named: "root")
            try metadata.verify(root.root, of: "root")
            let new = try RootMetadata(metadata)
            try metadata.verify(new.root, of: "root")
            guard new.head.version == next else {
                throw CollectionError(.rollback, "root is of version \(new.head.version), and \(next) was due")
            }
            try store.write("root", bytes)
            root = new
        }
        try root.head.check(at: now, named: "root")
        // Section 5.3.11: an attacker with an old key could have set a version so high that no true one follows.
        if !first.timestamp.isSame(as: root.timestamp) || !first.snapshot.isSame(as: root.snapshot) {
            store.remove("timestamp")
            store.remove("snapshot")
        }
        return root
    }

    // MARK: Timestamp

    /// Section 5.4.
    private func updateTimestamp(_ root: RootMetadata) async throws(CollectionError) -> TimestampMetadata {
        let bytes = try await source.bytes("metadata/timestamp.json", atMost: limits.timestamp)
        let metadata = try SignedMetadata(bytes, named: "timestamp")
        try metadata.verify(root.timestamp, of: "timestamp")
        let new = try TimestampMetadata(metadata)
        if let known = known("timestamp", root.timestamp), let old = try? TimestampMetadata(known) {
            guard new.head.version >= old.head.version else {
                throw CollectionError(
                    .rollback, "timestamp is of version \(new.head.version), and \(old.head.version) was seen before")
            }
            if new.head.version == old.head.version {
                try old.head.check(at: now, named: "timestamp")
                return old
            }
            guard new.snapshot.version ?? 0 >= old.snapshot.version ?? 0 else {
                throw CollectionError(
                    .rollback,
                    "timestamp names the snapshot \(new.snapshot.version ?? 0), and \(old.snapshot.version ?? 0) was seen before"
                )
            }
        }
        try new.head.check(at: now, named: "timestamp")
        try store.write("timestamp", bytes)
        return new
    }

    /// Returns a role's metadata of before if the role's keys of today have signed it.
    private func known(_ name: String, _ role: SigningRole) -> SignedMetadata? {
        guard let bytes = store.read(name), let metadata = try? SignedMetadata(bytes, named: name),
            (try? metadata.verify(role, of: name)) != nil
        else { return nil }
        return metadata
    }

    // MARK: Snapshot

    /// Section 5.5.
    ///
    /// - Returns: the snapshot, and its bytes where they are not kept yet.
    private func updateSnapshot(
        _ root: RootMetadata, _ timestamp: TimestampMetadata
    ) async throws(CollectionError) -> (metadata: SnapshotMetadata, new: [UInt8]?) {
        let facts = timestamp.snapshot
        let old = known("snapshot", root.snapshot).flatMap { try? SnapshotMetadata($0) }
        if let old, old.head.version == facts.version, let bytes = store.read("snapshot"),
            (try? facts.check(bytes, named: "snapshot")) != nil
        {
            try old.head.check(at: now, named: "snapshot")
            return (old, nil)
        }
        let name = root.isConsistent ? "\(facts.version ?? 0).snapshot.json" : "snapshot.json"
        let bytes = try await source.bytes("metadata/\(name)", atMost: facts.length ?? limits.snapshot)
        try facts.check(bytes, named: "snapshot")
        let metadata = try SignedMetadata(bytes, named: "snapshot")
        try metadata.verify(root.snapshot, of: "snapshot")
        let new = try SnapshotMetadata(metadata)
        guard new.head.version == facts.version else {
            throw CollectionError(
                .mismatch, "snapshot is of version \(new.head.version), and timestamp names \(facts.version ?? 0)")
        }
        for (file, before) in old?.files ?? [:] {
            guard let after = new.files[file] else {
                throw CollectionError(.rollback, "the snapshot no longer names \(file.inLine(limit: 80))")
            }
            guard after.version ?? 0 >= before.version ?? 0 else {
                throw CollectionError(
                    .rollback,
                    "the snapshot names \(file.inLine(limit: 80)) \(after.version ?? 0), and \(before.version ?? 0) was seen before"
                )
            }
        }
        try new.head.check(at: now, named: "snapshot")
        return (new, bytes)
    }

    // MARK: Lists

    /// Section 5.6, for the top list and every list that it trusts.
    ///
    /// - Returns: the collection, and the bytes of the lists that are not kept yet.
    private func updateLists(
        _ root: RootMetadata, _ snapshot: SnapshotMetadata
    ) async throws(CollectionError) -> (collection: VerifiedCollection, new: [(name: String, bytes: [UInt8])]) {
        var lists: [String: TargetsMetadata] = [:]
        var new: [(name: String, bytes: [UInt8])] = []
        var read: [String: SignedMetadata] = [:]
        var work: [(String, SigningRole)] = [("targets", root.targets)]
        while let (name, role) = work.popLast() {
            // Another list may trust it with other keys.
            if let metadata = read[name] {
                try metadata.verify(role, of: name)
                continue
            }
            guard lists.count < VerifiedCollection.mostLists else {
                throw CollectionError(.tooLong, "the collection has more than \(VerifiedCollection.mostLists) lists")
            }
            guard let facts = snapshot.files["\(name).json"] else {
                throw CollectionError(.mismatch, "the snapshot does not name \(name).json")
            }
            let (metadata, bytes) = try await list(name, role, facts, isConsistent: root.isConsistent)
            if let bytes { new.append((name, bytes)) }
            let list = try TargetsMetadata(metadata, named: name)
            guard list.head.version == facts.version else {
                throw CollectionError(
                    .mismatch,
                    "\(name) is of version \(list.head.version), and the snapshot names \(facts.version ?? 0)")
            }
            try list.head.check(at: now, named: name)
            read[name] = metadata
            lists[name] = list
            work += list.delegations.reversed().map { ($0.name, $0.role) }
        }
        let collection = VerifiedCollection(
            isConsistent: root.isConsistent, lists: lists, version: snapshot.head.version)
        return (collection, new)
    }

    private func list(
        _ name: String, _ role: SigningRole, _ facts: FileFacts, isConsistent: Bool
    ) async throws(CollectionError) -> (metadata: SignedMetadata, new: [UInt8]?) {
        if let bytes = store.read(name), (try? facts.check(bytes, named: name)) != nil,
            let metadata = known(name, role), metadata.signed["version"]?.intValue == facts.version
        {
            return (metadata, nil)
        }
        let file = isConsistent ? "\(facts.version ?? 0).\(name).json" : "\(name).json"
        let bytes = try await source.bytes("metadata/\(file)", atMost: facts.length ?? limits.targets)
        try facts.check(bytes, named: name)
        let metadata = try SignedMetadata(bytes, named: name)
        try metadata.verify(role, of: name)
        guard metadata.signed["version"]?.intValue == facts.version else {
            throw CollectionError(
                .mismatch,
                "\(name) is of version \(metadata.signed["version"]?.intValue ?? 0), and the snapshot names \(facts.version ?? 0)"
            )
        }
        _ = try MetadataHead(metadata.signed, type: "targets", named: name).check(at: now, named: name)
        return (metadata, bytes)
    }
}

extension SigningRole {
    fileprivate func isSame(as other: SigningRole) -> Bool {
        threshold == other.threshold && keyIDs == other.keyIDs
            && keyIDs.allSatisfy { keys[$0]?.bytes == other.keys[$0]?.bytes }
    }
}
