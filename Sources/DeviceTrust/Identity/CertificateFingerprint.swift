import Crypto
import Foundation

/// The SHA-256 of a TLS certificate in DER: what a phone pins, and a person compares.
public struct CertificateFingerprint: Sendable, Hashable, LosslessStringConvertible {
    /// 64 lower-case hexadecimal digits.
    public let hex: String

    public init(ofDER certificate: some Sequence<UInt8>) {
        hex = SHA256.hash(data: Data(certificate)).map { String(format: "%02x", $0) }.joined()
    }

    /// Reads 64 hexadecimal digits in either case, with or without a colon between the bytes.
    public init?(_ text: String) {
        let isColoned = text.contains(":")
        let pairs = isColoned ? text.split(separator: ":", omittingEmptySubsequences: false) : [Substring(text)]
        guard !isColoned || pairs.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        let digits = pairs.joined().lowercased()
        guard digits.utf8.count == 64, digits.utf8.allSatisfy(Self.isHexadecimal) else { return nil }
        hex = digits
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// With colons, as certificates' fingerprints are shown everywhere.
    public var description: String {
        stride(from: 0, to: 64, by: 2).map { String(hex.dropFirst($0).prefix(2)) }.joined(separator: ":")
    }
}
