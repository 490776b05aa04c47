import Foundation
import NIOSSL
import Phone
import PhoneStore

/// The page's TLS, and the authority that devices have to trust for it.
struct PageTLS: Sendable {
    /// Nil for plain HTTP.
    var configuration: TLSConfiguration?
    /// Nil for a certificate from elsewhere.
    var own: OwnCertificate?

    init(_ configuration: PageServerConfiguration, home: PhoneHome) throws {
        switch configuration.security {
        case .loopback: break
        // The proxy may answer with the household's certificate, which is renewed here.
        case .behindProxy: own = try OwnCertificate.kept(in: home, for: configuration.hostName)
        case .certificate(let chain, let key): self.configuration = try Self.read(chain: chain, key: key)
        case .ownAuthority:
            let own = try OwnCertificate(in: home, for: configuration.hostName)
            self.own = own
            self.configuration = own.configuration
        }
    }

    /// Returns the settings of a server with this certificate chain and private key (TLS 1.2 or later).
    ///
    /// - Throws: ``PhoneError``.
    static func read(chain: URL, key: URL) throws(PhoneError) -> TLSConfiguration {
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
}
