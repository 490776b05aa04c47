import Crypto
import Foundation
import Machine
import NIOSSL
import Phone
import PhoneStore
import Synchronization
import X509

/// The page's certificate of the household's own authority, kept in the phone's home. It is renewed while the page is open.
package final class OwnCertificate: Sendable {
    /// The rest of a certificate's life, in days, at which it is renewed.
    static let reserve = 30.0
    /// The pause between two looks at the certificate's end.
    static let interval: Duration = .seconds(12 * 3600)

    package let authority: PageAuthority
    /// True when the authority was made at this start, so that no device trusts it yet.
    package let isNew: Bool
    /// The certificate and its key, both PEM files.
    package let file, keyFile: URL
    private let served: Mutex<TLSConfiguration>

    /// Opens the certificate of a host name. An authority or a certificate that is missing, is for another name or ends soon
    /// is made anew.
    ///
    /// - Throws: ``PhoneError``; `FileError`.
    package convenience init(in home: PhoneHome, for hostName: String, at now: Date = Date()) throws {
        let kept = PageAuthority.kept(in: home.folder, for: hostName, at: now)
        try self.init(
            try kept ?? .make(in: home.folder, for: hostName, at: now), isNew: kept == nil, in: home.folder, at: now)
    }

    /// Opens the certificate of a host name if the household has an authority for it.
    package static func kept(
        in home: PhoneHome, for hostName: String, at now: Date = Date()
    ) throws -> OwnCertificate? {
        try PageAuthority.kept(in: home.folder, for: hostName, at: now).map {
            try OwnCertificate($0, isNew: false, in: home.folder, at: now)
        }
    }

    /// Gives a host name another authority and a certificate of it. No device trusts them yet, and the earlier authority's
    /// key is gone. The caller holds the page's claim.
    ///
    /// - Throws: ``PhoneError``; `FileError`.
    package static func replace(
        in home: PhoneHome, for hostName: String, at now: Date = Date()
    ) throws -> OwnCertificate {
        try OwnCertificate(
            try .make(in: home.folder, for: hostName, at: now), isNew: true, in: home.folder, at: now)
    }

    private init(_ authority: PageAuthority, isNew: Bool, in folder: URL, at now: Date) throws {
        self.authority = authority
        self.isNew = isNew
        file = folder.appending(path: "certificate-\(authority.hostName).pem")
        keyFile = folder.appending(path: "certificate-\(authority.hostName).key.pem")
        if Self.needsNew(file, keyFile, of: authority, at: now) { try Self.make(file, keyFile, of: authority, at: now) }
        served = Mutex(try PageTLS.read(chain: file, key: keyFile))
    }

    /// The server's settings, which ask for the certificate at each handshake.
    var configuration: TLSConfiguration {
        var configuration = served.withLock { $0 }
        configuration.sslContextCallback = { [self] _, promise in
            let now = served.withLock { $0 }
            var answer = NIOSSLContextConfigurationOverride()
            answer.certificateChain = now.certificateChain
            answer.privateKey = now.privateKey
            promise.succeed(answer)
        }
        return configuration
    }

    /// Renews the certificate if it ends soon. Open connections keep the old one.
    ///
    /// - Returns: whether it was renewed.
    func renew(at now: Date = Date()) throws -> Bool {
        guard Self.needsNew(file, keyFile, of: authority, at: now) else { return false }
        try Self.make(file, keyFile, of: authority, at: now)
        let renewed = try PageTLS.read(chain: file, key: keyFile)
        served.withLock { $0 = renewed }
        return true
    }

    private static func needsNew(_ file: URL, _ keyFile: URL, of authority: PageAuthority, at now: Date) -> Bool {
        guard let certificate = Certificate.read(file),
            let key = try? P256.Signing.PrivateKey(
                pemRepresentation: OpenedFile.text(of: keyFile, atMost: 64 << 10) ?? ""),
            certificate.publicKey == Certificate.PublicKey(key.publicKey),
            // A certificate that already ends with its authority cannot be extended.
            min(authority.certificate.notValidAfter, now.addingTimeInterval(reserve * 86_400))
                <= certificate.notValidAfter,
            let names = try? certificate.extensions.subjectAlternativeNames,
            names.contains(.dnsName(authority.hostName))
        else { return true }
        return !authority.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    private static func make(_ file: URL, _ keyFile: URL, of authority: PageAuthority, at now: Date) throws {
        let (certificate, key) = try authority.issue(for: authority.hostName, at: now)
        try AtomicFile.replaceUnderLock(Array((key.pemRepresentation + "\n").utf8), to: keyFile)
        try AtomicFile.replaceUnderLock(certificate.pemBytes(), to: file)
    }
}
