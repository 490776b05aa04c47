/// The hash under a token's HMAC (RFC 6238, section 1.2), named as in `otpauth://` URIs.
public enum TOTPAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    /// Reads the spellings in use: any case, with a hyphen (`sha-256`), or as Java names the MAC (`HmacSHA1`).
    public init?(named name: String) {
        var plain = name.uppercased().replacing("-", with: "")
        if plain.hasPrefix("HMAC") { plain.removeFirst(4) }
        self.init(rawValue: plain)
    }
}
