import Crypto
import Foundation
import SyncedFolder
import X509

/// A certificate for 127.0.0.1 that is its own authority.
enum SelfSigned {
    static func write(to folder: URL) throws -> (certificate: URL, key: URL) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Countersign broker") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date().addingTimeInterval(-3600), notValidAfter: Date().addingTimeInterval(86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.ipAddress(.init(contentBytes: [127, 0, 0, 1])), .dnsName("localhost")])
            }, issuerPrivateKey: .init(key))
        let files = (folder.appending(path: "broker.pem"), folder.appending(path: "broker.key.pem"))
        try AtomicFile.write((try certificate.serializeAsPEM().pemString + "\n").utf8, to: files.0)
        try AtomicFile.write((key.pemRepresentation + "\n").utf8, to: files.1)
        return files
    }
}
