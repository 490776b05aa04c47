import Crypto
import DeviceTrust
import Foundation
import NIOSSL
import X509

/// A self-signed certificate for 127.0.0.1, as a broker makes one.
struct LoopbackCertificate {
    let fingerprint: CertificateFingerprint
    let tls: TLSConfiguration

    init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Broker") }
        let made = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date().addingTimeInterval(-3600), notValidAfter: Date().addingTimeInterval(86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init { SubjectAlternativeNames([.ipAddress(.init(contentBytes: [127, 0, 0, 1]))]) },
            issuerPrivateKey: .init(key))
        let der = try made.serializeAsPEM().derBytes
        fingerprint = CertificateFingerprint(ofDER: der)
        tls = .makeServerConfiguration(
            certificateChain: [.certificate(try .init(bytes: der, format: .der))],
            privateKey: .privateKey(try .init(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
    }
}
