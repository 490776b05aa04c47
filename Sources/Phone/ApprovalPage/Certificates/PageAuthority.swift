import Crypto
import Encodings
import Foundation
import Machine
import Phone
import PhoneStore
import Storage
import X509

/// The certificate authority of a household. It issues the certificate of the approval page, and nothing else.
///
/// Telephones trust only certificates of an authority, so a self-signed one is never trusted there. The name constraints
/// (RFC 5280, section 4.2.1.10) limit this authority to the page's host name and names under it: a thief of its key can
/// imitate the page, but no other site.
package struct PageAuthority: Sendable {
    /// The lifetime in days. Every device has to trust the next authority again.
    static let lifetime = 3650.0
    /// The rest of its life, in days, at which the next authority is made.
    static let reserve = 90.0
    /// The longest lifetime that browsers accept for a certificate, in days.
    static let certificateLifetime = 397.0

    /// The most characters of a common name (RFC 5280, appendix A.1).
    static let commonNameLength = 64

    let certificate: Certificate
    package let hostName: String
    /// 1 for the first authority of a host name, and one more at each change. The certificate's subject names it from 2 on,
    /// so that a device's list and each certificate of the page tell which authority is meant.
    package let version: Int
    private let key: P256.Signing.PrivateKey

    /// The authority's certificate (X.509, DER).
    package let der: [UInt8]

    private init(_ certificate: Certificate, _ key: P256.Signing.PrivateKey, for hostName: String) throws {
        self.certificate = certificate
        self.key = key
        self.hostName = hostName
        version = Self.version(of: certificate)
        der = try certificate.serializeAsPEM().derBytes
    }

    /// The SHA-256 of the certificate, as telephones show it.
    package var fingerprint: String {
        Base16.encode(SHA256.hash(data: der)).uppercased().enumerated().map { index, digit in
            index > 0 && index.isMultiple(of: 2) ? ":\(digit)" : "\(digit)"
        }.joined()
    }

    /// The name that a device's list of authorities shows.
    package var name: String { Self.name(hostName, version) }

    /// Tells the owner of an authority that no device trusts yet.
    package func firstNotice(at origin: String) -> String {
        "this page now has its own certificate authority. It can issue certificates for \(hostName) and names under it "
            + "only. Let each device trust it once at "
            + "\(origin)/trust, and compare its SHA-256 there: \(fingerprint)"
            + (version > 1 ? ". It is version \(version): remove the earlier one from each device" : "")
    }

    /// The record that the page has another authority than before.
    package var replacement: AuditEvent {
        AuditEvent(
            .pageAuthorityReplaced, severity: .warning,
            details: [
                "host_name": .string(hostName), "version": .number(Double(version)), "sha256": .string(fingerprint),
            ])
    }

    // MARK: Versions

    private static let mostVersions = 65_535

    private static func name(_ hostName: String, _ version: Int) -> String {
        let ending = version > 1 ? " (\(version))" : ""
        return String("Countersign at \(hostName)".prefix(commonNameLength - ending.count)) + ending
    }

    private static func version(of certificate: Certificate) -> Int {
        guard let digits = "\(certificate.subject)".wholeMatch(of: /CN=.* \(([1-9][0-9]{0,4})\)/)?.1,
            let version = Int(digits), version <= mostVersions
        else { return 1 }
        return version
    }

    /// Returns the version of an authority that is made now, in the place of the one whose certificate the folder has.
    private static func nextVersion(in folder: URL, for hostName: String) -> Int {
        guard let earlier = Certificate.read(file(in: folder, for: hostName)) else { return 1 }
        return min(version(of: earlier) + 1, mostVersions)
    }

    // MARK: Keeping

    // Each name has files of its own: a start under another name must not replace an authority that devices trust.

    static func file(in folder: URL, for hostName: String) -> URL {
        folder.appending(path: "authority-\(hostName).pem")
    }

    static func keyFile(in folder: URL, for hostName: String) -> URL {
        folder.appending(path: "authority-\(hostName).key.pem")
    }

    /// Returns the host names for which a folder has an authority, in order.
    package static func hostNames(in folder: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.compactMap { $0.wholeMatch(of: /authority-(.+)\.pem/).map { String($0.1) } }
            .filter { !$0.hasSuffix(".key") && kept(in: folder, for: $0) != nil }.sorted()
    }

    /// Returns the authority that a folder has for a host name.
    ///
    /// - Returns: nil when the folder has none that can be used, or when it ends soon.
    package static func kept(in folder: URL, for hostName: String, at now: Date = Date()) -> PageAuthority? {
        guard let certificate = Certificate.read(file(in: folder, for: hostName)),
            let key = try? P256.Signing.PrivateKey(
                pemRepresentation: OpenedFile.text(of: keyFile(in: folder, for: hostName), atMost: 64 << 10) ?? ""),
            certificate.publicKey == Certificate.PublicKey(key.publicKey),
            certificate.notValidAfter > now.addingTimeInterval(reserve * 86_400),
            let names = try? certificate.extensions.nameConstraints?.permittedDNSDomains, Array(names) == [hostName]
        else { return nil }
        return try? PageAuthority(certificate, key, for: hostName)
    }

    /// Makes an authority for a host name, and keeps it in a folder. One that is there is replaced: its key is gone.
    ///
    /// - Throws: `FileError`.
    static func make(in folder: URL, for hostName: String, at now: Date = Date()) throws -> PageAuthority {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let name = try DistinguishedName { CommonName(Self.name(hostName, nextVersion(in: folder, for: hostName))) }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: now.addingTimeInterval(lifetime * 86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                Critical(
                    NameConstraints(
                        permittedDNSDomains: [hostName],
                        // Only kinds of names that are listed are constrained, so the others are excluded.
                        excludedIPRanges: [
                            .init(contentBytes: ArraySlice(repeating: 0, count: 8)),
                            .init(contentBytes: ArraySlice(repeating: 0, count: 32)),
                        ]))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: publicKey)
            }, issuerPrivateKey: .init(key))
        try AtomicFile.replaceUnderLock(
            Array((key.pemRepresentation + "\n").utf8), to: keyFile(in: folder, for: hostName))
        try AtomicFile.replaceUnderLock(certificate.pemBytes(), to: file(in: folder, for: hostName))
        return try PageAuthority(certificate, key, for: hostName)
    }

    // MARK: Issuing

    /// Issues a certificate for a server.
    ///
    /// - Parameter name: the server's host name. Browsers refuse the certificate when the authority's constraints do not
    ///   permit the name.
    func issue(for name: String, at now: Date = Date()) throws -> (
        certificate: Certificate, key: P256.Signing.PrivateKey
    ) {
        let own = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(own.publicKey)
        let end = now.addingTimeInterval(Self.certificateLifetime * 86_400)
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: min(end, certificate.notValidAfter),
            issuer: certificate.subject,
            subject: try DistinguishedName { CommonName(String(name.prefix(Self.commonNameLength))) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(name)])
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: self.certificate.publicKey).keyIdentifier)
                SubjectKeyIdentifier(hash: publicKey)
            }, issuerPrivateKey: .init(key))
        return (certificate, own)
    }
}

extension Certificate {
    /// Returns the first certificate of a PEM file; nil when the file holds no certificate.
    static func read(_ file: URL) -> Certificate? {
        OpenedFile.text(of: file, atMost: 1 << 20).flatMap { try? Certificate(pemEncoded: $0) }
    }

    func pemBytes() throws -> [UInt8] { Array((try serializeAsPEM().pemString + "\n").utf8) }
}
