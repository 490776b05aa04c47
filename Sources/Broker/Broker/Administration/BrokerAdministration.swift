import BrokerStore
import Clocks
import DeviceTrust
import Foundation
import Messages
import Secrets

/// Administers a broker through its database: pairs phones and changes devices, while the broker may be running.
///
/// Read and write access to the database is the authority: no route of the broker begins a pairing or changes a device.
package struct BrokerAdministration: Sendable {
    let database: BrokerDatabase
    let file: URL
    private let environment: [String: String]

    public var devices: DeviceStore { database.devices }
    public var agents: AgentStore { database.agents }
    public var schedules: ScheduleStore { database.schedules }
    public var pairings: PairingStore { database.pairings }
    /// Gives the agent of a program elsewhere another token of the broker's API; nil when no program has this name any more.
    package func renewBrokerToken(of agent: AgentName) async throws -> Secret? {
        try await database.clients.renewBrokerToken(of: agent)
    }

    package var paperless: PaperlessStore { database.paperless }
    package var webhook: WebhookStore { database.webhook }

    /// - Parameter environment: the broker's variables; `BROKER_DATABASE_PATH` names the database.
    /// - Throws: ``StoreError`` when the database does not exist.
    package init(environment: [String: String], clock: BrokerClock = BrokerClock()) throws(StoreError) {
        self.environment = environment
        file = BrokerConfiguration.database(environment)
        database = try BrokerDatabase(administering: file, clock: clock)
    }

    /// True when a broker runs on the database now.
    package var isRunning: Bool { DatabaseLock.isHeld(file) }

    /// - Throws: ``StoreError`` before the broker's first start.
    package func identity() throws(StoreError) -> BrokerIdentity {
        guard let identity = try? database.identity.identity() else {
            throw StoreError(message: "the broker has no identity yet; start it once to make one")
        }
        return identity
    }

    /// Returns the key that signs receipts; nil before the first receipt.
    ///
    /// - Throws: like ``sealing()``, which opens it.
    package func receiptKey() async throws -> ReceiptPublicKey? {
        try await database.receipts.existingKey(try sealing())?.publicKey
    }

    /// Returns the port and certificate of the broker now, or of its last run; nil when it never listened.
    package func listening() -> BrokerListening? { (try? database.identity.listening()) ?? nil }

    /// Returns the sealing of the database.
    ///
    /// - Throws: ``BrokerConfigurationError`` when neither a variable nor the broker's own file has the secret;
    ///   ``StoreError`` when the file cannot be read.
    package func sealing() throws -> Sealing { Sealing(try sealingSecret()) }

    /// Returns the secret that seals the database; throws like ``sealing()``.
    package func sealingSecret() throws -> Secret {
        if BrokerSetting.sealingSecret.value(in: environment) == nil,
            let own = try SealingFile(besideDatabase: file).secret()
        {
            return own
        }
        var reader = EnvironmentReader(environment)
        guard let secret = reader.sealingSecret() else {
            if reader.value(.sharedSecret) != nil {
                _ = reader.secret(.sharedSecret)
            } else if reader.problems.isEmpty {
                reader.report(
                    "\(BrokerSetting.sharedSecret.name) is not set: the secret that seals the broker's database (or "
                        + "\(BrokerSetting.sealingSecret.name) if the broker has that)")
            }
            throw BrokerConfigurationError(problems: reader.problems)
        }
        return secret
    }

    /// Returns the address at which phones reach the running broker: `BROKER_ENDPOINT`, or `BROKER_HOST` with the port that
    /// the broker noted.
    ///
    /// - Throws: ``BrokerConfigurationError``; ``StoreError`` when no broker has listened yet.
    package func endpoint() throws -> String {
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

    /// Returns the bank of a request that names none.
    ///
    /// - Throws: ``BrokerConfigurationError`` for a variable that cannot be read; ``StoreError``.
    package func usualBank() async throws -> UsualBank {
        var reader = EnvironmentReader(environment)
        let own = reader.bankID()
        let hasDefaultDevice = reader.isOn(.defaultDevice)
        guard reader.problems.isEmpty else { throw BrokerConfigurationError(problems: reader.problems) }
        return try await database.banks.known(withDefaultDevice: hasDefaultDevice).usualBank(own: own)
    }

    /// Begins a pairing with the running broker.
    ///
    /// - Parameters:
    ///   - life: at most five minutes.
    ///   - name: the device's future name; nil for the name that the device gives itself.
    ///   - keepsDefaultDevice: true to leave the default device on. The first pairing switches it off otherwise.
    /// - Throws: ``StoreError`` when no broker runs on the database, or it is sealed with another secret.
    package func openPairing(
        life: Duration, name: String?, keepsDefaultDevice: Bool = false
    ) async throws -> OpenPairing {
        guard isRunning else {
            throw StoreError(
                message: "no broker is running on \(file.path), so no phone could answer; start it with "
                    + "countersign up, or countersign broker serve without a household, or set BROKER_DATABASE_PATH to the running broker's database"
            )
        }
        let sealing = try sealing()
        // Opening the keys shows whether this is the secret that sealed them.
        if let sealed = try await database.identity.sealedIdentity() { _ = try BrokerKeys(sealed, sealing) }
        let identity = try identity()
        let endpoint = try endpoint()
        let (session, code) = try await pairings.open(
            life: life, name: name, keepsDefaultDevice: keepsDefaultDevice, sealing)
        let payload = PairingPayload(
            server: identity.server, code: code, endpoint: endpoint, certificate: listening()?.certificate,
            createdAt: session.createdAt, expiresAt: session.expiresAt)
        return OpenPairing(session: session, payload: payload)
    }
}

/// A pairing that was just begun, with the payload for the phone to scan or read.
package struct OpenPairing: Sendable {
    package let session: PairingSession
    package let payload: PairingPayload
}
