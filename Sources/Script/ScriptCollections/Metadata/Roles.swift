import Encodings
import Foundation

/// The root: the keys of every role (TUF specification 1.0.34, section 4.3).
package struct RootMetadata: Sendable {
    package let head: MetadataHead
    package let isConsistent: Bool
    package let root: SigningRole
    package let timestamp: SigningRole
    package let snapshot: SigningRole
    package let targets: SigningRole

    package init(_ metadata: SignedMetadata) throws(CollectionError) {
        let json = metadata.signed
        head = try MetadataHead(json, type: "root", named: "root")
        isConsistent = json["consistent_snapshot"]?.boolValue ?? false
        let keys = try SigningRole.keys(json["keys"])
        root = try SigningRole(json["roles"]?["root"], keys: keys, named: "root")
        timestamp = try SigningRole(json["roles"]?["timestamp"], keys: keys, named: "timestamp")
        snapshot = try SigningRole(json["roles"]?["snapshot"], keys: keys, named: "snapshot")
        targets = try SigningRole(json["roles"]?["targets"], keys: keys, named: "targets")
    }
}

/// The timestamp: which snapshot is the latest (section 4.6).
package struct TimestampMetadata: Sendable {
    package let head: MetadataHead
    package let snapshot: FileFacts

    package init(_ metadata: SignedMetadata) throws(CollectionError) {
        head = try MetadataHead(metadata.signed, type: "timestamp", named: "timestamp")
        guard let facts = metadata.signed["meta"]?["snapshot.json"] else {
            throw CollectionError(.malformed, "timestamp names no snapshot.json")
        }
        snapshot = try FileFacts(metadata: facts, named: "snapshot.json")
    }
}

/// The snapshot: the versions of all lists that belong together (section 4.4).
package struct SnapshotMetadata: Sendable {
    package let head: MetadataHead
    /// By the file's name, such as `targets.json`.
    package let files: [String: FileFacts]

    package init(_ metadata: SignedMetadata) throws(CollectionError) {
        head = try MetadataHead(metadata.signed, type: "snapshot", named: "snapshot")
        var files: [String: FileFacts] = [:]
        for (name, facts) in metadata.signed["meta"]?.objectValue ?? [:] {
            files[name] = try FileFacts(metadata: facts, named: name)
        }
        guard files["targets.json"] != nil else {
            throw CollectionError(.malformed, "snapshot names no targets.json")
        }
        self.files = files
    }
}

/// A list of files, and of the lists that it trusts for some of them (section 4.5).
package struct TargetsMetadata: Sendable {
    package let head: MetadataHead
    package let targets: [String: FileFacts]
    package let delegations: [Delegation]

    package init(_ metadata: SignedMetadata, named name: String = "targets") throws(CollectionError) {
        head = try MetadataHead(metadata.signed, type: "targets", named: name)
        guard let listed = metadata.signed["targets"]?.objectValue else {
            throw CollectionError(.malformed, "\(name) has no list “targets”")
        }
        var targets: [String: FileFacts] = [:]
        for (path, facts) in listed { targets[path] = try FileFacts(target: facts, named: path) }
        self.targets = targets
        let delegated = metadata.signed["delegations"]
        let keys = try SigningRole.keys(delegated?["keys"])
        var delegations: [Delegation] = []
        for role in delegated?["roles"]?.arrayValue ?? [] { delegations.append(try Delegation(role, keys: keys)) }
        self.delegations = delegations
    }
}
