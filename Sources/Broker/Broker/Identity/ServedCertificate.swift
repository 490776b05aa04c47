import DeviceTrust
import NIOCore
import NIOSSL
import Synchronization

/// The certificate with which the broker answers new connections. A renewed one can take its place while the broker runs;
/// open connections keep theirs.
final class ServedCertificate: Sendable {
    private let tls: Mutex<BrokerTLS>

    init(_ tls: BrokerTLS) {
        self.tls = Mutex(tls)
    }

    var fingerprint: CertificateFingerprint { tls.withLock { $0.fingerprint } }

    /// The server's settings, which ask for the certificate at each handshake.
    var configuration: TLSConfiguration {
        var configuration = tls.withLock { $0.configuration }
        configuration.sslContextCallback = { [self] _, promise in
            let now = tls.withLock { $0.configuration }
            var answer = NIOSSLContextConfigurationOverride()
            answer.certificateChain = now.certificateChain
            answer.privateKey = now.privateKey
            promise.succeed(answer)
        }
        return configuration
    }

    /// Reads the certificate and its key from their files again.
    ///
    /// - Returns: true when there is another certificate now.
    /// - Throws: ``TLSFileError`` when they cannot be used; those of before stay.
    func renew() throws(TLSFileError) -> Bool {
        let before = tls.withLock { $0 }
        guard let renewed = try before.readAgain() else { return false }
        tls.withLock { $0 = renewed }
        return renewed.fingerprint != before.fingerprint
    }
}
