import DeviceTrust
import Foundation
import NIOSSL

/// A certificate with its matching key.
package struct BrokerTLS: Sendable {
    let configuration: TLSConfiguration
    /// The files that it was read from; nil for the broker's own certificate.
    private var files: (certificate: URL, key: URL)?
    /// The fingerprint of the server's own certificate.
    package let fingerprint: CertificateFingerprint

    /// Reads a certificate and its key from files.
    ///
    /// - Parameters:
    ///   - certificate: PEM, the server's own certificate first, then the intermediate ones.
    ///   - key: PEM.
    /// - Throws: ``TLSFileError``, which names the file and its problem.
    package init(certificate: URL, key: URL) throws(TLSFileError) {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate.path)
        } catch {
            throw TLSFileError(message: "\(certificate.path) cannot be read as a certificate in PEM")
        }
        guard !chain.isEmpty else { throw TLSFileError(message: "\(certificate.path) has no certificate in it") }
        let secret: NIOSSLPrivateKey
        do {
            secret = try NIOSSLPrivateKey(file: key.path, format: .pem)
        } catch {
            throw TLSFileError(message: "\(key.path) cannot be read as a private key in PEM")
        }
        do {
            try self.init(chain: chain, key: secret)
        } catch {
            throw TLSFileError(message: "\(key.path) is not the key of the certificate in \(certificate.path)")
        }
        files = (certificate, key)
    }

    /// Reads the files again.
    ///
    /// - Returns: nil for the broker's own certificate, which is in no file.
    /// - Throws: ``TLSFileError``, also when certificate and key do not belong together.
    func readAgain() throws(TLSFileError) -> BrokerTLS? {
        guard let files else { return nil }
        return try BrokerTLS(certificate: files.certificate, key: files.key)
    }

    /// Takes a self-signed certificate.
    init(certificate: NIOSSLCertificate, key: NIOSSLPrivateKey) throws {
        try self.init(chain: [certificate], key: key)
    }

    private init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        _ = try NIOSSLContext(configuration: configuration)
        self.configuration = configuration
        fingerprint = CertificateFingerprint(ofDER: try chain[0].toDERBytes())
    }
}

/// A certificate or key file that cannot be used.
package struct TLSFileError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
