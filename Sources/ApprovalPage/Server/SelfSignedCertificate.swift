import Crypto
import Files
import Foundation
import NIOSSL
import Phone
import PhoneStore
import X509

/// The page's self-signed certificate, made when needed and kept in the phone's home.
enum SelfSignedCertificate {
    /// The longest lifetime that browsers accept, in days.
    static let lifetime = 397.0

    /// Returns the TLS configuration (TLS 1.2 or later); nil for plain HTTP.
    static func tls(_ security: PageServerConfiguration.Security, hostName: String, home: PhoneHome) throws
        -> TLSConfiguration?
    {
        switch security {
        case .loopback: return nil
        case .certificate(let chain, let key): return try read(chain: chain, key: key)
        case .selfSigned:
            let chain = home.folder.appending(path: "certificate.pem")
            let key = home.folder.appending(path: "certificate.key.pem")
            if needsNew(chain, for: hostName) { try make(hostName, chain: chain, key: key) }
            return try read(chain: chain, key: key)
        }
    }

    private static func read(chain: URL, key: URL) throws -> TLSConfiguration {
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(chain.path).map {
                NIOSSLCertificateSource.certificate($0)
            }
            let privateKey = try NIOSSLPrivateKey(file: key.path, format: .pem)
            return .makeServerConfiguration(certificateChain: certificates, privateKey: .privateKey(privateKey))
        } catch {
            throw PhoneError(
                .invalidSetting, "\(chain.path) and \(key.path) must be a certificate chain and its private key, in PEM"
            )
        }
    }

    private static func needsNew(_ chain: URL, for hostName: String) -> Bool {
        guard let text = try? String(contentsOf: chain, encoding: .utf8),
            let certificate = try? Certificate(pemEncoded: text),
            certificate.notValidAfter > Date().addingTimeInterval(7 * 86_400),
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return true }
        return !names.contains(.dnsName(hostName))
    }

    private static func make(_ hostName: String, chain: URL, key keyFile: URL) throws {
        let key = P256.Signing.PrivateKey()
        let now = Date()
        let name = try DistinguishedName { CommonName("Countersign phone \(hostName)") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: now.addingTimeInterval(lifetime * 86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(hostName)])
            }, issuerPrivateKey: .init(key))
        for (file, text) in [
            (keyFile, key.pemRepresentation + "\n"), (chain, try certificate.serializeAsPEM().pemString + "\n"),
        ] {
            unlink(file.path + ".tmp")
            try AtomicFile.write(text.utf8, to: file)
        }
    }
}
