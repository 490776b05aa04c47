import Encodings
import Foundation

/// The parts that each role's metadata has (TUF specification 1.0.34, section 4.2).
package struct MetadataHead: Sendable, Hashable {
    package let version: Int
    package let expires: Date

    /// The version of the specification that is written, and the major one that is read.
    package static let specification = "1.0.31"

    init(_ json: JSONValue, type: String, named name: String) throws(CollectionError) {
        guard json["_type"]?.stringValue == type else {
            throw CollectionError(
                .malformed,
                "\(name) is of the type “\((json["_type"]?.stringValue ?? "none").inLine(limit: 40))”, not \(type)")
        }
        guard let specification = json["spec_version"]?.stringValue, specification.hasPrefix("1.") else {
            throw CollectionError(.malformed, "\(name) is written for another version of the specification than 1")
        }
        guard let version = json["version"]?.intValue, version >= 1 else {
            throw CollectionError(.malformed, "\(name) has no version of at least 1")
        }
        guard let text = json["expires"]?.stringValue, let expires = try? Self.format.parse(text) else {
            throw CollectionError(.malformed, "\(name) has no date “expires” such as 2030-01-01T00:00:00Z")
        }
        self.version = version
        self.expires = expires
    }

    package static let format = Date.ISO8601FormatStyle()

    /// - Throws: ``CollectionError`` of kind `expired`.
    package func check(at now: Date, named name: String) throws(CollectionError) {
        guard now < expires else {
            throw CollectionError(
                .expired,
                "\(name) expired on \(expires.formatted(Self.format)): the collection is not kept up, or someone shows an old "
                    + "state of it; ask its author")
        }
    }
}

/// A signed file's description of another one.
package struct FileFacts: Sendable, Hashable {
    /// Nil for a target, which has no version.
    package let version: Int?
    package let length: Int?
    /// Hex digests by the names `sha256` and `sha512`.
    package let hashes: [String: String]
    package let custom: JSONValue?

    package init(version: Int? = nil, length: Int?, hashes: [String: String], custom: JSONValue? = nil) {
        self.version = version
        self.length = length
        self.hashes = hashes
        self.custom = custom
    }

    init(metadata json: JSONValue, named name: String) throws(CollectionError) {
        guard let version = json["version"]?.intValue, version >= 1 else {
            throw CollectionError(.malformed, "\(name) is listed without a version")
        }
        try self.init(json, version: version, named: name)
    }

    init(target json: JSONValue, named name: String) throws(CollectionError) {
        try self.init(json, version: nil, named: name)
        guard length != nil, !hashes.isEmpty else {
            throw CollectionError(.malformed, "\(name) is listed without a length or a hash")
        }
    }

    private init(_ json: JSONValue, version: Int?, named name: String) throws(CollectionError) {
        let length = json["length"].map { $0.intValue ?? -1 }
        guard length ?? 0 >= 0 else {
            throw CollectionError(.malformed, "\(name) is listed with a length that is not one")
        }
        var hashes: [String: String] = [:]
        for (algorithm, value) in json["hashes"]?.objectValue ?? [:] { hashes[algorithm] = value.stringValue ?? "" }
        self.init(version: version, length: length, hashes: hashes, custom: json["custom"])
    }
}
