import DeviceTrust
import Foundation
import Logging
import SyncedFolder

/// What a broker that listens leaves for others to find: its port and certificate in the database, the certificate in a
/// file for agents, and itself in the local network where that is wanted.
struct BrokerPresence: Sendable {
    let configuration: BrokerConfiguration
    let identity: BrokerIdentity
    /// Nil without TLS.
    let certificate: CertificateFingerprint?
    let store: RequestStore
    let logger: Logger

    func begin(port: Int) async {
        do {
            try await store.note(BrokerListening(port: port, certificate: certificate))
            if configuration.usesOwnCertificate {
                try AtomicFile.write(
                    BrokerCertificate.pem(identity.certificate).utf8, to: configuration.certificateFile)
            }
        } catch {
            logger.error("others cannot learn where the broker listens", metadata: ["error": "\(error)"])
        }
    }

    func end() async {}
}
