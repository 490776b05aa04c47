import Crypto
import Encodings
import Foundation
import X509

/// A root, an intermediate and a leaf like those of AWS Nitro (P-384), and the documents that the leaf signs.
package struct NitroAuthority: Sendable {
    /// The statements of a document.
    package struct Statement: Sendable {
        package var time: Date
        /// Nil when the caller gave none.
        package var nonce: [UInt8]?
        /// Nil when the caller gave none.
        package var publicKey: [UInt8]?
        /// The registers by their number, 48 bytes each.
        package var registers: [Int: [UInt8]] = [
            0: NitroAuthority.image, 1: .init(repeating: 2, count: 48), 2: .init(repeating: 3, count: 48),
            8: NitroAuthority.signer,
        ]

        package init(at time: Date, nonce: [UInt8]? = nil, publicKey: [UInt8]? = nil) {
            self.time = time
            self.nonce = nonce
            self.publicKey = publicKey
        }
    }

    /// Register 0, the image.
    package static let image = [UInt8](repeating: 0xA1, count: 48)
    /// Register 8, the certificate that signed the image.
    package static let signer = [UInt8](repeating: 0x8C, count: 48)

    package let root: [UInt8]
    private let intermediate: [UInt8]
    private let leaf: [UInt8]
    private let key = P384.Signing.PrivateKey()

    /// Makes certificates. The leaf is valid from five minutes before `time` to three hours after it, as AWS's are.
    ///
    /// - Parameters:
    ///   - intermediateIsAuthority: false for an issuer that may not sign certificates.
    ///   - leafMaySign: false for a leaf whose key usage has no digital signature.
    package init(at time: Date, intermediateIsAuthority: Bool = true, leafMaySign: Bool = true) throws {
        let rootKey = P384.Signing.PrivateKey()
        let intermediateKey = P384.Signing.PrivateKey()
        let (rootName, intermediateName) = (try Self.name("own.nitro-enclaves"), try Self.name("own.intermediate"))
        func make(
            _ subject: DistinguishedName, _ key: P384.Signing.PrivateKey, by issuer: DistinguishedName,
            _ issuerKey: P384.Signing.PrivateKey, hours: Double, isAuthority: Bool, usage: KeyUsage
        ) throws -> [UInt8] {
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
                notValidBefore: time.addingTimeInterval(-300), notValidAfter: time.addingTimeInterval(hours * 3600),
                issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA384,
                extensions: try .init {
                    Critical(
                        isAuthority
                            ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                            : BasicConstraints.notCertificateAuthority)
                    Critical(usage)
                }, issuerPrivateKey: .init(issuerKey))
            return try certificate.serializeAsPEM().derBytes
        }
        root = try make(
            rootName, rootKey, by: rootName, rootKey, hours: 24_000, isAuthority: true,
            usage: KeyUsage(digitalSignature: true, keyCertSign: true, cRLSign: true))
        intermediate = try make(
            intermediateName, intermediateKey, by: rootName, rootKey, hours: 480, isAuthority: intermediateIsAuthority,
            usage: KeyUsage(digitalSignature: true, keyCertSign: intermediateIsAuthority))
        leaf = try make(
            Self.name("own.leaf"), key, by: intermediateName, intermediateKey, hours: 3, isAuthority: false,
            usage: KeyUsage(digitalSignature: leafMaySign, nonRepudiation: !leafMaySign))
    }

    /// SHA-256 of the root, by which a verifier pins it.
    package var rootDigest: String { Base16.encode(SHA256.hash(data: root)) }

    /// Signs a document: a COSE_Sign1 message with ES384.
    package func document(_ statement: Statement) throws -> [UInt8] {
        let payload = CBOR.map([
            .text("module_id"): .text("i-0own-enc1"), .text("digest"): .text("SHA384"),
            .text("timestamp"): .integer(Int(statement.time.timeIntervalSince1970 * 1000)),
            .text("pcrs"): .map(
                Dictionary(
                    uniqueKeysWithValues: statement.registers.map { (CBOR.integer($0), CBOR.bytes($1)) })),
            .text("certificate"): .bytes(leaf), .text("cabundle"): .array([.bytes(root), .bytes(intermediate)]),
            .text("public_key"): statement.publicKey.map(CBOR.bytes) ?? .null, .text("user_data"): .null,
            .text("nonce"): statement.nonce.map(CBOR.bytes) ?? .null,
        ]).encoded
        // {1: -35}: the algorithm ES384 (RFC 9053, section 2.1).
        let header = CBOR.map([.integer(1): .integer(-35)]).encoded
        let signed = CBOR.array([.text("Signature1"), .bytes(header), .bytes([]), .bytes(payload)]).encoded
        let signature = try key.signature(for: signed)
        return CBOR.array([.bytes(header), .map([:]), .bytes(payload), .bytes(Array(signature.rawRepresentation))])
            .encoded
    }

    private static func name(_ text: String) throws -> DistinguishedName { try DistinguishedName { CommonName(text) } }
}
