import Crypto
import Encodings
import Foundation
import Secrets

/// The SHA-256 of a TLS certificate in DER. Phones pin it, and people compare it.
package struct CertificateFingerprint: Sendable, Hashable, LosslessStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String

    package init(ofDER certificate: some Sequence<UInt8>) {
        hex = Base16.encode(SHA256.hash(data: Data(certificate)))
    }

    /// Reads 64 hexadecimal digits in either case, with or without a colon between the bytes.
    package init?(_ text: String) {
        let isColoned = text.contains(":")
        let pairs = isColoned ? text.split(separator: ":", omittingEmptySubsequences: false) : [Substring(text)]
        guard !isColoned || pairs.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        let digits = pairs.joined().lowercased()
        guard Base16.isEncoding(digits, ofBytes: 32) else { return nil }
        hex = digits
    }

    /// Pairs of digits with colons between them, the usual form of fingerprints.
    package var description: String {
        stride(from: 0, to: 64, by: 2).map { String(hex.dropFirst($0).prefix(2)) }.joined(separator: ":")
    }
}
