import Automation
import Clocks
import DeviceTrust
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage

/// The replacement of the phone's token and shared secret by new ones, which the broker asks for now and then.
struct CredentialRotation: Sendable {
    let vault: Vault
    let store: PhoneDatabase
    let broker: BrokerConnection
    let runQueue: SerialQueue
    let clock: any RunClock
    /// One rotation at a time: two could agree on credentials that only one side keeps.
    private let queue = SerialQueue()

    init(
        vault: Vault, store: PhoneDatabase, broker: BrokerConnection, runQueue: SerialQueue, clock: any RunClock
    ) {
        self.vault = vault
        self.store = store
        self.broker = broker
        self.runQueue = runQueue
        self.clock = clock
    }

    /// Opens the vault and rotates, if a rotation is due.
    func rotateIfAsked(_ verification: any UserVerification) async throws {
        guard broker.isRotationRequested || broker.settings.next != nil else { return }
        let secrets = try await verification.open(vault, reason: "Renew the phone's token")
        defer { secrets.close() }
        try await rotateIfAsked(secrets)
    }

    /// Agrees on new credentials with a broker that asks for it, while the vault is open and nothing runs.
    ///
    /// A failure is recorded, and the next call tries again: the current credentials stay valid until the new ones are
    /// used.
    func rotateIfAsked(_ secrets: VaultSecretStore) async throws {
        try await queue.run { try await self.rotate(secrets) }
    }

    private func rotate(_ secrets: VaultSecretStore) async throws {
        guard await runQueue.isIdle else { return }
        do {
            try await keepValidCredentials(secrets)
            let settings = broker.settings
            guard broker.isRotationRequested, let pairing = settings.pairing else { return }
            let rotation = PhoneRotation(deviceID: pairing.deviceID, secret: settings.credentials.rawSharedSecret)
            let message = rotation.message
            let answer = try await broker.call { (client) async throws(PhoneError) in try await client.rotate(message) }
            let agreed = try rotation.credentials(answer: answer)
            let next = try BrokerCredentials(token: agreed.token, sharedSecret: agreed.sharedSecret)
            // Save before use: from the first use on, the broker accepts no other credentials.
            let renewed = try broker.settings.changed(credentials: broker.settings.credentials, next: next)
            try await renewed.save(to: secrets)
            broker.isRotationRequested = false
            broker.use(renewed)
            try await useCredentialsOnce()
            try await keepValidCredentials(secrets)
            try await store.audit.record(
                AuditEvent(
                    .deviceRotated, details: ["device": .string(pairing.deviceID.description)], time: clock.now))
        } catch {
            try await store.audit.record(
                AuditEvent(
                    .rotationFailed, severity: .error,
                    details: ["message": .string(ReportText.cleaned("\(error)"))], time: clock.now))
        }
    }

    /// Finds out which credentials the broker accepts during a rotation, and forgets the others.
    private func keepValidCredentials(_ secrets: VaultSecretStore) async throws {
        guard let next = broker.settings.next else { return }
        try await useCredentialsOnce()
        let valid = broker.credentials.token === next.token ? next : broker.settings.credentials
        let settled = try broker.settings.changed(credentials: valid, next: nil)
        try await settled.save(to: secrets)
        broker.use(settled)
    }

    private func useCredentialsOnce() async throws(PhoneError) {
        _ = try await broker.call { (client) async throws(PhoneError) in try await client.pending() }
    }
}
