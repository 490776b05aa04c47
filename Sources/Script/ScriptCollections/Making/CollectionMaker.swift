import Crypto
import Encodings
import Foundation
import Machine

/// Writes and signs a collection's metadata, as its author does on a machine with the keys.
///
/// The layout is the one that every TUF client reads: `metadata/` with versions in the names, and `targets/` with hashes in the
/// names (consistent snapshots, TUF specification 1.0.34, section 6.2).
package struct CollectionMaker: Sendable {
    /// The keys of each role, and how many have to sign.
    package struct Keys: Sendable {
        package var root: [MetadataSigner]
        package var targets: [MetadataSigner]
        package var snapshot: [MetadataSigner]
        package var timestamp: [MetadataSigner]
        package var rootThreshold: Int
        package var targetsThreshold: Int

        package init(
            root: [MetadataSigner], targets: [MetadataSigner], snapshot: [MetadataSigner], timestamp: [MetadataSigner],
            rootThreshold: Int = 1, targetsThreshold: Int = 1
        ) {
            self.root = root
            self.targets = targets
            self.snapshot = snapshot
            self.timestamp = timestamp
            self.rootThreshold = rootThreshold
            self.targetsThreshold = targetsThreshold
        }
    }

    /// A file of the collection.
    package struct File: Sendable {
        package let path: String
        package let bytes: [UInt8]
        /// The description that a client reads before it fetches the file.
        package let custom: JSONValue?

        package init(path: String, bytes: [UInt8], custom: JSONValue? = nil) {
            self.path = path
            self.bytes = bytes
            self.custom = custom
        }
    }

    /// The time until the metadata expires. The timestamp's time bounds how long an old state can be shown.
    package struct Lifetimes: Sendable {
        package var root: Duration = .seconds(365 * 86_400)
        package var targets: Duration = .seconds(90 * 86_400)
        package var snapshot: Duration = .seconds(90 * 86_400)
        package var timestamp: Duration = .seconds(14 * 86_400)

        package init() {}
    }

    private let folder: URL
    private let keys: Keys
    private let now: Date
    private let lifetimes: Lifetimes

    package init(_ folder: URL, keys: Keys, now: Date = Date(), lifetimes: Lifetimes = Lifetimes()) {
        self.folder = folder
        self.keys = keys
        self.now = now
        self.lifetimes = lifetimes
    }

    /// Writes a root: the first one, or the next after a change of keys.
    ///
    /// - Parameter previous: the root keys of before, which sign the next root too (section 5.3.4).
    /// - Returns: the root's file.
    @discardableResult
    package func writeRoot(version: Int, previous: [MetadataSigner] = []) throws -> [UInt8] {
        var listed: [String: JSONValue] = [:]
        for signer in keys.root + keys.targets + keys.snapshot + keys.timestamp {
            listed[signer.key.id] = signer.key.json
        }
        func role(_ signers: [MetadataSigner], _ threshold: Int = 1) -> JSONValue {
            ["keyids": .array(signers.map { .string($0.key.id) }), "threshold": .number(Double(threshold))]
        }
        let signed = head("root", version, lifetimes.root).merging([
            "consistent_snapshot": true, "keys": .object(listed),
            "roles": [
                "root": role(keys.root, keys.rootThreshold), "targets": role(keys.targets, keys.targetsThreshold),
                "snapshot": role(keys.snapshot), "timestamp": role(keys.timestamp),
            ],
        ]) { $1 }
        return try write(.object(signed), as: "\(version).root.json", by: keys.root + previous)
    }

    /// Writes the files and their lists. Files of before stay, for clients that are in the middle of an update.
    ///
    /// - Parameter bins: the number of lists among which the files are spread by the hash of their paths, so that a change
    ///   costs a client one of them; a power of 16, or 1 for a single list.
    package func write(_ files: [File], version: Int, bins: Int = 1) throws {
        for file in files {
            try CollectionPath.check(file.path)
            let hash = Base16.encode(SHA256.hash(data: file.bytes))
            var names = file.path.split(separator: "/").map(String.init)
            names[names.count - 1] = "\(hash).\(names[names.count - 1])"
            let place = folder.appending(path: "targets/" + names.joined(separator: "/"))
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            guard !FileManager.default.fileExists(atPath: place.path) else { continue }
            try AtomicFile.write(file.bytes, to: place, mode: 0o644)
        }
        if let twins = CollectionPath.twins(in: files.map(\.path)) {
            throw CollectionError(.hostileFolder, "\(twins.0) and \(twins.1) are one file on some machines")
        }
        var facts: [String: JSONValue] = [:]
        var top = head("targets", version, lifetimes.targets)
        if bins == 1 {
            top["targets"] = .object(listed(files))
        } else {
            let digits = String(bins - 1, radix: 16).count
            var spread: [String: [File]] = [:]
            for file in files {
                let prefix = String(Base16.encode(SHA256.hash(data: Array(file.path.utf8))).prefix(digits))
                spread[prefix, default: []].append(file)
            }
            var roles: [JSONValue] = []
            for bin in 0..<bins {
                let number = String(bin, radix: 16)
                let prefix = String(repeating: "0", count: digits - number.count) + number
                let name = "bin-\(prefix)"
                roles.append([
                    "name": .string(name), "keyids": .array(keys.targets.map { .string($0.key.id) }),
                    "threshold": .number(Double(keys.targetsThreshold)), "terminating": true,
                    "path_hash_prefixes": [.string(prefix)],
                ])
                let list = listed(spread[prefix] ?? [])
                // A list without a change keeps its version, so that clients keep it.
                if let before = latest(name), before.signed["targets"] == .object(list), isFresh(before) {
                    let same = before.signed["version"]?.intValue ?? 1
                    facts["\(name).json"] = try listedAgain("\(same).\(name).json", version: same)
                    continue
                }
                var signed = head("targets", version, lifetimes.targets)
                signed["targets"] = .object(list)
                let bytes = try write(.object(signed), as: "\(version).\(name).json", by: keys.targets)
                facts["\(name).json"] = Self.facts(bytes, version: version)
            }
            top["targets"] = [:]
            top["delegations"] = [
                "keys": .object(Dictionary(keys.targets.map { ($0.key.id, $0.key.json) }) { first, _ in first }),
                "roles": .array(roles),
            ]
        }
        let targets = try write(.object(top), as: "\(version).targets.json", by: keys.targets)
        facts["targets.json"] = Self.facts(targets, version: version)
        var snapshot = head("snapshot", version, lifetimes.snapshot)
        snapshot["meta"] = .object(facts)
        let bytes = try write(.object(snapshot), as: "\(version).snapshot.json", by: keys.snapshot)
        try writeTimestamp(version: version, snapshot: bytes, snapshotVersion: version)
    }

    private func writeTimestamp(version: Int, snapshot: [UInt8], snapshotVersion: Int) throws {
        var timestamp = head("timestamp", version, lifetimes.timestamp)
        timestamp["meta"] = ["snapshot.json": Self.facts(snapshot, version: snapshotVersion)]
        try write(.object(timestamp), as: "timestamp.json", by: keys.timestamp)
    }

    /// The version of the newest lists; 0 before the first ones.
    package var latestVersion: Int {
        latestVersion(of: "snapshot")
    }

    /// The version of the newest root; 0 before the first one.
    package var latestRoot: Int { latestVersion(of: "root") }

    private func latestVersion(of role: String) -> Int {
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "metadata").path)) ?? []
        return names.compactMap { $0.hasSuffix(".\(role).json") ? Int($0.prefix { $0 != "." }) : nil }.max() ?? 0
    }

    private func latest(_ role: String) -> SignedMetadata? {
        let version = latestVersion(of: role)
        guard version > 0, let bytes = try? read("\(version).\(role).json") else { return nil }
        return try? SignedMetadata(bytes, named: role)
    }

    /// Returns whether a list may stay: at least half of its time is left, and today's keys have signed it.
    private func isFresh(_ metadata: SignedMetadata) -> Bool {
        guard let text = metadata.signed["expires"]?.stringValue, let expires = try? MetadataHead.format.parse(text),
            expires.timeIntervalSince(now) > Double(lifetimes.targets.components.seconds) / 2
        else { return false }
        return Set(metadata.signatures.map(\.keyID)) == Set(keys.targets.map(\.key.id))
    }

    private func listedAgain(_ name: String, version: Int) throws -> JSONValue {
        Self.facts(try read(name), version: version)
    }

    private func read(_ name: String) throws -> [UInt8] {
        try OpenedFile(place(name)).bytes(atMost: SignedMetadata.limits.size)
    }

    private func listed(_ files: [File]) -> [String: JSONValue] {
        var listed: [String: JSONValue] = [:]
        for file in files {
            var facts: [String: JSONValue] = [
                "length": .number(Double(file.bytes.count)),
                "hashes": ["sha256": .string(Base16.encode(SHA256.hash(data: file.bytes)))],
            ]
            facts["custom"] = file.custom
            listed[file.path] = .object(facts)
        }
        return listed
    }

    private static func facts(_ bytes: [UInt8], version: Int) -> JSONValue {
        [
            "version": .number(Double(version)), "length": .number(Double(bytes.count)),
            "hashes": ["sha256": .string(Base16.encode(SHA256.hash(data: bytes)))],
        ]
    }

    private func head(_ type: String, _ version: Int, _ lifetime: Duration) -> [String: JSONValue] {
        let expires = Date(
            timeIntervalSince1970: (now.timeIntervalSince1970 + Double(lifetime.components.seconds)).rounded(.down))
        return [
            "_type": .string(type), "spec_version": .string(MetadataHead.specification),
            "version": .number(Double(version)),
            "expires": .string(expires.formatted(MetadataHead.format)),
        ]
    }

    private func place(_ name: String) -> URL { folder.appending(path: "metadata/\(name)") }

    @discardableResult
    private func write(_ signed: JSONValue, as name: String, by signers: [MetadataSigner]) throws -> [UInt8] {
        let bytes = try signed.signedBytes()
        var signatures: [JSONValue] = []
        var done: Set<String> = []
        for signer in signers where done.insert(signer.key.id).inserted {
            signatures.append(["keyid": .string(signer.key.id), "sig": .string(try signer.sign(bytes))])
        }
        let file = (["signed": signed, "signatures": .array(signatures)] as JSONValue).compactBytes()
        let place = place(name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try AtomicFile.write(file, to: place, mode: 0o644, temporaryName: ".\(name).new")
        return file
    }
}
