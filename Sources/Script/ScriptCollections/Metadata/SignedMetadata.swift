import Encodings
import Foundation

/// A file of metadata with its signatures (TUF specification 1.0.34, section 4.2), not verified yet.
package struct SignedMetadata: Sendable {
    package struct Signature: Sendable, Hashable {
        package let keyID: String
        package let hex: String
    }

    package let signed: JSONValue
    package let signatures: [Signature]
    /// The bytes that the signatures cover.
    private let bytes: [UInt8]

    /// The largest metadata that is read: that of a collection of a million files.
    package static let limits = JSONLimits(size: 256 << 20)

    /// - Parameter name: the file's name, for messages.
    /// - Throws: ``CollectionError`` of kind `malformed`.
    package init(_ file: [UInt8], named name: String) throws(CollectionError) {
        let json: JSONValue
        do {
            json = try JSONReader.read(file, limits: Self.limits)
        } catch {
            throw CollectionError(.malformed, "\(name) is not JSON: \(error)")
        }
        guard let signed = json["signed"], signed.objectValue != nil, let list = json["signatures"]?.arrayValue else {
            throw CollectionError(.malformed, "\(name) has no “signed” and “signatures”")
        }
        var signatures: [Signature] = []
        for item in list {
            guard let id = item["keyid"]?.stringValue, let hex = item["sig"]?.stringValue else {
                throw CollectionError(.malformed, "a signature of \(name) has no keyid or sig")
            }
            // One key signs once: a second signature of one name could hide the first.
            guard !signatures.contains(where: { $0.keyID == id }) else {
                throw CollectionError(.malformed, "\(name) has two signatures of the key \(id.inLine(limit: 64))")
            }
            signatures.append(Signature(keyID: id, hex: hex))
        }
        self.signed = signed
        self.signatures = signatures
        bytes = try signed.signedBytes()
    }

    /// Checks that enough different keys of a role have signed.
    ///
    /// - Throws: ``CollectionError`` of kind `unsigned`.
    package func verify(_ role: SigningRole, of name: String) throws(CollectionError) {
        var signers: Set<MetadataKey> = []
        for signature in signatures {
            // The same key under two names counts once.
            guard role.keyIDs.contains(signature.keyID), let key = role.keys[signature.keyID],
                !signers.contains(key), key.verifies(signature.hex, over: bytes)
            else { continue }
            signers.insert(key)
        }
        guard signers.count >= role.threshold else {
            throw CollectionError(
                .unsigned,
                "\(name) has \(signers.count.counted("valid signature")) of its role, and needs \(role.threshold)")
        }
    }
}

/// The keys of a role, and how many of them have to sign.
package struct SigningRole: Sendable {
    package let keyIDs: Set<String>
    package let threshold: Int
    /// Every key that the root or the delegation lists, by name.
    package let keys: [String: MetadataKey]

    init(_ json: JSONValue?, keys: [String: MetadataKey], named name: String) throws(CollectionError) {
        guard let ids = json?["keyids"]?.arrayValue?.compactMap(\.stringValue),
            let threshold = json?["threshold"]?.intValue,
            threshold >= 1, !ids.isEmpty
        else { throw CollectionError(.malformed, "the role \(name) has no keys, or no threshold of at least 1") }
        keyIDs = Set(ids)
        self.threshold = threshold
        self.keys = keys
    }

    /// Reads a list of keys by name. A key of an unknown type is left out.
    static func keys(_ json: JSONValue?) throws(CollectionError) -> [String: MetadataKey] {
        var keys: [String: MetadataKey] = [:]
        for (id, value) in json?.objectValue ?? [:] { keys[id] = try MetadataKey(value) }
        return keys
    }
}
