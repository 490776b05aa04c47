import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A self-signed certificate for this machine and one run.
struct ServerCertificate {
    let pem: String
    let tls: TLSConfiguration

    init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("localhost") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: .now - 86_400,
            notValidAfter: .now + 86_400, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                SubjectAlternativeNames([.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))])
            }, issuerPrivateKey: .init(key))
        pem = try certificate.serializeAsPEM().pemString
        let leaf = try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem)
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)
        tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)], privateKey: .privateKey(privateKey))
    }

    /// Writes the certificate to a file for both clients, besides the system's authorities.
    func write(in folder: URL) throws -> URL {
        let file = folder.appending(path: "authority.pem")
        try Data(pem.utf8).write(to: file)
        return file
    }
}
