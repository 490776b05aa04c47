import Crypto
import Encodings
import Foundation
import JSON
import Secrets

/// The name of exactly one script: SHA-256 of its canonical JSON (RFC 8785), in lower-case hex.
///
/// Two spellings of the same script have the same digest; places in the text, comments and file names do not count.
public struct ScriptDigest: Sendable, Hashable, CustomStringConvertible {
    public let hex: String

    /// The first twelve digits, for a person to compare.
    public var short: String { String(hex.prefix(12)) }

    public var description: String { hex }

    /// A digest that was written down.
    package init(hex: String) {
        self.hex = hex
    }

    init(of json: JSONValue) {
        // A script's JSON has no number beyond 2^53 and no lone surrogate, so it always has a canonical form.
        let bytes = (try? json.canonicalBytes()) ?? []
        hex = Base16.encode(SHA256.hash(data: bytes))
    }
}

extension BankScript {
    public var digest: ScriptDigest { ScriptDigest(of: json) }
}
