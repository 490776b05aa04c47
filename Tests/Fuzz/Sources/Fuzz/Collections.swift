import Foundation

@testable import Encodings
@testable import ScriptCollections

/// Reads a collection's metadata as each of its roles (TUF specification 1.0.34).
func fuzzCollection(_ input: [UInt8]) {
    let metadata: SignedMetadata
    do {
        metadata = try SignedMetadata(input, named: "root.json")
    } catch {
        promise(!error.message.isEmpty, "a refusal says why")
        return
    }
    promise(
        Set(metadata.signatures.map(\.keyID)).count == metadata.signatures.count, "a key signs once")
    if let root = try? RootMetadata(metadata) {
        for role in [root.root, root.timestamp, root.snapshot, root.targets] {
            promise(role.threshold > 0, "a role needs a signature")
            // No input has a signature by a key that it names itself but by making one, and a fuzzer makes none.
            promise((try? metadata.verify(role, of: "root.json")) == nil, "nothing is signed by chance")
        }
    }
    if let timestamp = try? TimestampMetadata(metadata) {
        promise(timestamp.head.version > 0, "a version counts from 1")
    }
    if let snapshot = try? SnapshotMetadata(metadata) {
        promise(snapshot.files["targets.json"] != nil, "a snapshot names the list of scripts")
    }
    if let targets = try? TargetsMetadata(metadata) {
        promise(targets.targets.values.allSatisfy { ($0.length ?? 0) >= 0 }, "a length is a number of bytes")
    }
}

/// Reads a file of vouches, a key's line, and a result from the field.
func fuzzVouch(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    for vouch in (try? Vouch.all(in: text)) ?? [] {
        promise(Base16.isEncoding(vouch.digest, ofBytes: 32), "a vouch is for a digest")
    }
    if let key = try? SSHKey(line: text) { promise(key.fingerprint.hasPrefix("SHA256:"), "a key has a fingerprint") }
    if let result = try? SignedFieldResult(reading: input, for: String(repeating: "0", count: 64)) {
        promise(result.bytes == input, "a result has one spelling")
    }
}
