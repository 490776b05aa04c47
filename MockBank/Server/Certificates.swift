import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority for one run, and a certificate for this machine that it signed.
struct Certificates {
    /// The authority's certificate, for clients that need to trust the bank.
    let authorityPEM: String
    let tls: TLSConfiguration
    /// The public key of the bank's certificate, in the form that scripts pin.
    let publicKeyPin: String

    init(now: Date = Date()) throws {
        let authorityKey = P256.Signing.PrivateKey()
        // Each authority has a name and an identifier of its own: a client with two of them in a file would else check a server's
        // certificate with the wrong one.
        let digest = SHA256.hash(data: authorityKey.publicKey.derRepresentation)
        let identifier = ArraySlice(Array(digest).prefix(20))
        let authorityName = try DistinguishedName {
            OrganizationName("Meridian Savings (mock)")
            CommonName("Mock bank authority " + digest.prefix(4).map { String(format: "%02x", $0) }.joined())
        }
        let validity = (from: now.addingTimeInterval(-86_400), to: now.addingTimeInterval(30 * 86_400))
        let authority = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey),
            notValidBefore: validity.from, notValidAfter: validity.to, issuer: authorityName, subject: authorityName,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(keyIdentifier: identifier)
            }, issuerPrivateKey: .init(authorityKey))
        let key = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: validity.from,
            notValidAfter: validity.to, issuer: authorityName,
            subject: try DistinguishedName { CommonName("localhost") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                AuthorityKeyIdentifier(keyIdentifier: identifier)
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            }, issuerPrivateKey: .init(authorityKey))
        publicKeyPin = "sha256/" + Data(SHA256.hash(data: key.publicKey.derRepresentation)).base64EncodedString()
        // With its line feed, so that several can be joined in one file.
        authorityPEM = try authority.serializeAsPEM().pemString + "\n"
        let leaf = try NIOSSLCertificate(bytes: Array(try certificate.serializeAsPEM().pemString.utf8), format: .pem)
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)], privateKey: .privateKey(privateKey))
    }
}
