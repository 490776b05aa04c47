import DeviceTrust
import Files
import Foundation
import Logging

/// What a broker that listens leaves for others to find: its port and certificate in the database, the certificate in a
/// file for agents, and itself in the local network where that is wanted.
actor BrokerPresence {
    private let configuration: BrokerConfiguration
    private let identity: BrokerIdentity
    private let certificate: CertificateFingerprint?
    private let store: RequestStore
    private let logger: Logger
    private var announcing: Task<Void, Never>?

    /// - Parameter certificate: nil without TLS.
    init(
        configuration: BrokerConfiguration, identity: BrokerIdentity, certificate: CertificateFingerprint?,
        store: RequestStore, logger: Logger
    ) {
        self.configuration = configuration
        self.identity = identity
        self.certificate = certificate
        self.store = store
        self.logger = logger
    }

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
        if configuration.announces { announcing = Task { await announce(port) } }
    }

    func end() {
        announcing?.cancel()
        announcing = nil
    }

    /// Stands until the task is cancelled. Without it phones have to be told the address; nothing else is missing.
    private nonisolated func announce(_ port: Int) async {
        #if os(Linux)
            do {
                let publication = try await AvahiService().publish(
                    BrokerAnnouncement(
                        name: "Countersign on \(ProcessInfo.processInfo.hostName)", port: port,
                        certificate: certificate, server: identity.server.id))
                defer { publication.end() }
                logger.info(
                    "announced in the local network", metadata: ["service": "\(BrokerAnnouncement.serviceType)"])
                // Ended by cancellation alone.
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            } catch {
                logger.warning("not announced in the local network", metadata: ["reason": "\(error)"])
            }
        #else
            logger.warning(
                "not announced in the local network", metadata: ["reason": "Bonjour is not used by this broker"])
        #endif
    }
}
