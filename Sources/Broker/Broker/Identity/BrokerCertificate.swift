import Crypto
import Foundation
import SwiftASN1
import X509

/// Makes the broker's own, self-signed certificate. Phones learn its fingerprint when they pair, and pin it.
enum BrokerCertificate {
    /// Ten years: when a pinned certificate expires, every phone has to be paired again.
    private static let lifetime: TimeInterval = 3652 * 86_400

    /// - Parameter host: the host that the broker is bound to. The machine's own names and addresses are added.
    /// - Returns: DER.
    static func make(for key: P256.Signing.PrivateKey, host: String, at now: Date) throws -> [UInt8] {
        let subject = try DistinguishedName { CommonName("Countersign broker") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(lifetime),
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names(host))
            }, issuerPrivateKey: .init(key))
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    private static func names(_ host: String) -> [GeneralName] {
        var seen: Set<String> = []
        let all = [host, ProcessInfo.processInfo.hostName, "localhost", "127.0.0.1", "::1"] + MachineAddresses.all
        return all.filter { !["0.0.0.0", "::", ""].contains($0) && seen.insert($0).inserted }.map { name in
            MachineAddresses.bytes(of: name).map { .ipAddress(.init(contentBytes: $0[...])) } ?? .dnsName(name)
        }
    }

    /// Returns the certificate in PEM, for clients that trust it as an authority.
    static func pem(_ der: [UInt8]) throws -> String {
        PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n"
    }

    static func expiry(_ der: [UInt8]) throws -> Date { try Certificate(derEncoded: der).notValidAfter }
}
