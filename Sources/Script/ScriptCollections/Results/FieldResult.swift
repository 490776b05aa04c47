import BankScript
import Crypto
import Encodings

/// The last outcome of one script in one week, as an owner may tell it to the script's collection. It says nothing else: no time, no
/// bank's answer, no number of runs.
package struct FieldResult: Sendable, Hashable {
    /// The script's digest.
    package let digest: String
    package let week: ISOWeek
    /// `html`, `browser`, or `other`: the name of a plug-in could be a household's own.
    package let engine: String
    package let outcome: FieldOutcome

    private static let engines = ["html", "browser", "other"]

    package init(digest: String, week: ISOWeek, engine: String, outcome: FieldOutcome) {
        self.digest = digest
        self.week = week
        self.engine = Self.engines.contains(engine) ? engine : "other"
        self.outcome = outcome
    }

    fileprivate var members: [String: JSONValue] {
        outcome.members.merging([
            "digest": .string(digest), "engine": .string(engine), "week": .string("\(week)"),
        ]) { $1 }
    }

    fileprivate init(_ json: JSONValue) throws(CollectionError) {
        guard let digest = json["digest"]?.stringValue, Base16.isEncoding(digest, ofBytes: 32),
            let week = json["week"]?.stringValue.flatMap({ ISOWeek($0) }), let engine = json["engine"]?.stringValue,
            Self.engines.contains(engine), let outcome = FieldOutcome(json)
        else {
            throw CollectionError(
                .malformed, "a field result names digest, engine, outcome and week, and a failure its step")
        }
        self.init(digest: digest, week: week, engine: engine, outcome: outcome)
    }
}

/// A result with the signature of a key that signs the results of this one script for this one collection, and nothing else.
///
/// The signature is also over the collection's name, which is not in the file: a collection that hands a result on to another one
/// hands on bytes that are refused there, so that two collections cannot put one household's results together by its keys.
package struct SignedFieldResult: Sendable, Hashable {
    package let result: FieldResult
    /// The file: JSON in its canonical form (RFC 8785), and no other spelling of it.
    package let bytes: [UInt8]
    /// The public key, in hex.
    package let key: String

    /// The most bytes of a file.
    package static let largest = 1024

    /// Signs a result.
    ///
    /// - Parameter collection: the SHA-256 of the collection's first root, in hex.
    package init(_ result: FieldResult, by signer: MetadataSigner, for collection: String) throws {
        key = Base16.encode(signer.key.bytes)
        var members = result.members
        members["key"] = .string(key)
        members["signature"] = .string(try signer.sign(Self.signed(members, collection)))
        self.result = result
        bytes = JSONValue.object(members).compactBytes()
    }

    /// Reads and verifies a file.
    ///
    /// - Throws: ``CollectionError``: `too_long`, `malformed`, or `unsigned`, also for a result that was signed for another collection.
    package init(reading bytes: [UInt8], for collection: String) throws(CollectionError) {
        guard bytes.count <= Self.largest else {
            throw CollectionError(.tooLong, "a field result has at most \(Self.largest) bytes")
        }
        guard let json = try? JSONReader.read(bytes), json.compactBytes() == bytes, var members = json.objectValue
        else {
            throw CollectionError(.malformed, "a field result is JSON in its canonical form")
        }
        let result = try FieldResult(json)
        guard let key = members["key"]?.stringValue, Base16.isEncoding(key, ofBytes: 32),
            let signature = members.removeValue(forKey: "signature")?.stringValue,
            Base16.isEncoding(signature, ofBytes: 64),
            Set(members.keys) == Set(result.members.keys).union(["key"])
        else { throw CollectionError(.malformed, "a field result has a key, a signature, and nothing else") }
        let publicKey = Base16.decode(key).flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
        guard let publicKey, MetadataKey(publicKey).verifies(signature, over: Self.signed(members, collection)) else {
            throw CollectionError(.unsigned, "the signature is not over this result, or for another collection")
        }
        self.result = result
        self.bytes = bytes
        self.key = key
    }

    /// Returns the bytes that are signed: the purpose, the collection, and the file without its signature.
    private static func signed(_ members: [String: JSONValue], _ collection: String) -> [UInt8] {
        Array("countersign field result 1\n\(collection)\n".utf8) + JSONValue.object(members).compactBytes()
    }
}
