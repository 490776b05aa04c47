import Crypto
import Foundation
import NIOSSL
import X509

/// A self-signed certificate for 127.0.0.1, like one that a server makes for itself.
package struct LoopbackCertificate: Sendable {
    package let key: P256.Signing.PrivateKey
    package let der: [UInt8]
    /// The PEM text, without a line feed at the end.
    package let pem: String

    /// - Parameters:
    ///   - hosts: additional host names.
    ///   - lifetime: seconds from now, negative for an expired certificate. Its validity began two days ago.
    ///   - isAuthority: whether it can be trusted as an authority, not only by its fingerprint.
    package init(
        _ name: String = "Loopback", hosts: [String] = [], lifetime: TimeInterval = 86_400, isAuthority: Bool = false
    ) throws {
        key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date().addingTimeInterval(-2 * 86_400), notValidAfter: Date().addingTimeInterval(lifetime),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                if isAuthority { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
                SubjectAlternativeNames(
                    [.ipAddress(.init(contentBytes: [127, 0, 0, 1]))] + hosts.map { GeneralName.dnsName($0) })
            }, issuerPrivateKey: .init(key))
        let document = try certificate.serializeAsPEM()
        der = document.derBytes
        pem = document.pemString
    }

    /// The TLS configuration of a server with this certificate.
    package var tls: TLSConfiguration {
        get throws {
            .makeServerConfiguration(
                certificateChain: [.certificate(try .init(bytes: der, format: .der))],
                privateKey: .privateKey(try .init(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
        }
    }
}
