import Crypto
import Encodings
import Foundation
import Secrets

/// The identity of a script: the SHA-256 of its canonical JSON (RFC 8785), in lower-case hex.
///
/// The same script in Swift and in YAML has the same digest. Line numbers, comments and file names do not count.
public struct ScriptDigest: Sendable, Hashable, CustomStringConvertible {
    public let hex: String

    /// The fewest digits by which a person may name a digest.
    package static let fewestDigits = 12

    /// The first twelve digits, for people to compare.
    public var short: String { String(hex.prefix(Self.fewestDigits)) }

    public var description: String { hex }

    /// Takes a digest that was stored as hex.
    package init(hex: String) {
        self.hex = hex
    }

    init(of json: JSONValue) {
        // A script's JSON has a canonical form: no number is above 2^53 and no text has a lone surrogate.
        let bytes = (try? json.canonicalBytes()) ?? []
        hex = Base16.encode(SHA256.hash(data: bytes))
    }
}

extension BankScript {
    public var digest: ScriptDigest { ScriptDigest(of: json) }
}
