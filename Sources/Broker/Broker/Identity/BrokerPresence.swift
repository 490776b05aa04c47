import BrokerStore
import DeviceTrust
import Foundation
import Logging
import Machine

/// Publishes how to reach a broker that listens: its port and certificate in the database, the certificate in a file for
/// agents, and an announcement in the local network if that is configured.
actor BrokerPresence {
    private let configuration: BrokerConfiguration
    private let identity: BrokerIdentity
    private let certificate: ServedCertificate?
    private let store: IdentityStore
    private let logger: Logger
    private var announcing: Task<Void, Never>?
    /// Nil until the broker listens.
    private var port: Int?

    /// - Parameter certificate: nil without TLS.
    init(
        configuration: BrokerConfiguration, identity: BrokerIdentity, certificate: ServedCertificate?,
        store: IdentityStore, logger: Logger
    ) {
        self.configuration = configuration
        self.identity = identity
        self.certificate = certificate
        self.store = store
        self.logger = logger
    }

    func begin(port: Int) async {
        self.port = port
        do {
            try await store.note(BrokerListening(port: port, certificate: certificate?.fingerprint))
            if configuration.usesOwnCertificate {
                try AtomicFile.write(
                    BrokerCertificate.pem(identity.certificate).utf8, to: configuration.certificateFile)
            }
        } catch {
            logger.error("the address where the broker listens could not be published", metadata: ["error": "\(error)"])
        }
        if configuration.announces { announcing = Task { await announce(port) } }
    }

    /// Publishes a certificate that has taken the place of another.
    func renewCertificate() async {
        guard let port else { return }
        end()
        await begin(port: port)
    }

    func end() {
        announcing?.cancel()
        announcing = nil
    }

    /// Announces the broker until the task is cancelled. Without the announcement phones need the address; nothing else is
    /// lost.
    private nonisolated func announce(_ port: Int) async {
        #if os(Linux)
            do {
                let publication = try await AvahiService().publish(
                    BrokerAnnouncement(
                        name: "Countersign on \(ProcessInfo.processInfo.hostName)", port: port,
                        certificate: certificate?.fingerprint, server: identity.server.id))
                defer { publication.end() }
                logger.info(
                    "announced in the local network", metadata: ["service": "\(BrokerAnnouncement.serviceType)"])
                // Only cancellation ends the announcement.
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            } catch {
                logger.warning("not announced in the local network", metadata: ["reason": "\(error)"])
            }
        #else
            logger.warning(
                "not announced in the local network",
                metadata: ["reason": "announcing needs Avahi, which runs on Linux only"])
        #endif
    }
}
