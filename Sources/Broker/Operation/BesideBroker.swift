import Clocks
import DeviceTrust
import Foundation
import Secrets

/// The broker's database, opened by its owner beside the broker that runs on it: for pairing, and for the devices.
///
/// Whoever can read and write the database is the owner. No route of the broker can begin a pairing or change a device.
public struct BesideBroker: Sendable {
    public let store: RequestStore
    private let database: URL
    private let environment: [String: String]

    /// - Parameter environment: of which `BROKER_DATABASE_PATH` says where the database is.
    /// - Throws: ``StoreError`` when there is none.
    public init(environment: [String: String], clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.environment = environment
        database = BrokerConfiguration.database(environment)
        store = try RequestStore(beside: database, clock: clock)
    }

    /// Whether a broker runs on the database now.
    public var isRunning: Bool { DatabaseLock.isHeld(database) }

    public func identity() throws(StoreError) -> BrokerIdentity {
        guard let identity = try? store.identity() else {
            throw StoreError(message: "the broker has no identity yet; it makes one when it is first started")
        }
        return identity
    }

    /// Where the broker listens, or did when it last ran; nil when it never did.
    public func listening() -> BrokerListening? { (try? store.listening()) ?? nil }

    /// What the database is sealed with.
    ///
    /// - Throws: ``BrokerConfigurationError`` when the variable for it is not set.
    public func sealing() throws(BrokerConfigurationError) -> Sealing {
        var reader = EnvironmentReader(environment)
        guard let sealing = reader.sealing() else {
            _ = reader.secret(
                "BROKER_PHONE_SHARED_SECRET",
                "the broker’s own, which its database is sealed with (or BROKER_SEALING_SECRET where that is set)")
            throw BrokerConfigurationError(problems: reader.problems)
        }
        return sealing
    }

    /// Where phones reach the running broker: `BROKER_ENDPOINT`, or made from `BROKER_HOST` and what the broker found out.
    ///
    /// - Throws: ``BrokerConfigurationError``, ``StoreError`` when no broker runs.
    public func endpoint() throws -> String {
        var reader = EnvironmentReader(environment)
        let endpoint = reader.endpoint()
        guard reader.problems.isEmpty else { throw BrokerConfigurationError(problems: reader.problems) }
        if let endpoint { return endpoint }
        guard let listening = listening() else { throw StoreError(message: "no broker has listened yet; start it") }
        let isEverywhere = ["0.0.0.0", "::"].contains(reader.host)
        let host = isEverywhere ? MachineAddresses.all.first ?? ProcessInfo.processInfo.hostName : reader.host
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(listening.certificate == nil ? "http" : "https")://\(name):\(listening.port)"
    }

    /// Begins a pairing with the broker that runs.
    ///
    /// - Parameters:
    ///   - life: at most five minutes.
    ///   - name: what the device is to be called; its own name where it is nil.
    /// - Throws: ``StoreError`` when no broker runs on the database, or it is sealed with another secret.
    public func openPairing(life: Duration, name: String?) async throws -> OpenPairing {
        guard isRunning else {
            throw StoreError(
                message: "no broker is running on \(database.path), so no phone could answer; start it with "
                    + "countersign broker serve, or set BROKER_DATABASE_PATH to the database of the one that runs")
        }
        let sealing = try sealing()
        try await store.checkSealing(sealing)
        let identity = try identity()
        let endpoint = try endpoint()
        let (session, code) = try await store.openPairing(life: life, name: name, sealing)
        let payload = PairingPayload(
            server: identity.server, code: code, endpoint: endpoint, certificate: listening()?.certificate,
            createdAt: session.createdAt, expiresAt: session.expiresAt)
        return OpenPairing(session: session, payload: payload)
    }
}

/// A pairing that was just begun, and what the phone has to scan or be told.
public struct OpenPairing: Sendable {
    public let session: PairingSession
    public let payload: PairingPayload
}

extension RequestStore {
    /// - Throws: ``StoreError`` when the broker's secrets are sealed with another secret.
    func checkSealing(_ sealing: Sealing) async throws {
        try await pool.read { db in try BrokerKeys.check(sealing, in: db) }
    }
}
