import DeviceTrust
import Foundation
import KeyVault
import PhoneStore
import Secrets

extension PhoneConnection {
    private enum Entry: String, CaseIterable {
        case brokerURL = "connection/broker-url"
        case token = "connection/phone-token"
        case sharedSecret = "connection/shared-secret"
        case nextToken = "connection/next-token"
        case nextSecret = "connection/next-secret"
        case inbox = "connection/inbox"
        case trust = "connection/certificate"
        case unprovenBroker = "connection/unproven-broker"
        case deviceID = "connection/device-id"
        /// The reference of the key's place; for a key of the vault, the key itself.
        case deviceKey = "connection/device-key"
        /// The name of the place, and the key's public half; both are missing for a key of the vault.
        case deviceKeyMaker = "connection/device-key-maker"
        case devicePublicKey = "connection/device-public-key"
        case serverID = "connection/server-id"
        case serverKey = "connection/server-key"
    }

    /// Reads the connection that ``save(to:deviceKey:with:)`` wrote. The device key stays in the vault until an
    /// approval needs it.
    package init(from vault: some SecretStore) async throws {
        func text(_ entry: Entry) async throws -> String? {
            // Addresses are not secret: while these values live, the redactor would remove them from every message.
            guard let secret = try await vault.secret(named: entry.rawValue) else { return nil }
            defer { secret.wipe() }
            return secret.revealed()
        }
        guard let brokerURL = try await text(.brokerURL), let inbox = try await text(.inbox),
            let credentials = try await Self.credentials(.token, .sharedSecret, in: vault)
        else { throw PhoneError(.notSetUp, "the phone does not know its broker yet; run: countersign phone setup") }
        try self.init(
            brokerURL: brokerURL, credentials: credentials,
            next: try await Self.credentials(.nextToken, .nextSecret, in: vault), inbox: inbox,
            pairing: try await Self.pairing(
                device: text(.deviceID), server: text(.serverID), key: text(.serverKey)),
            trust: try CertificateTrust(stored: try await text(.trust)))
        trustsUnprovenBroker = try await text(.unprovenBroker) == Self.trustedUnproven
        messageKey = try await vault.secret(named: FailureReports.entry)
    }

    private static let trustedUnproven = "trusted"
    /// Stands before the name of the key's place, so that the redactor leaves the name alone in messages.
    private static let keptIn = "kept in "

    private static func credentials(
        _ token: Entry, _ secret: Entry, in vault: some SecretStore
    ) async throws -> BrokerCredentials? {
        guard let token = try await vault.secret(named: token.rawValue),
            let secret = try await vault.secret(named: secret.rawValue)
        else { return nil }
        return try BrokerCredentials(token: token, sharedSecret: secret)
    }

    private static func pairing(device: String?, server: String?, key: String?) throws -> DevicePairing? {
        guard let device, let server, let key else { return nil }
        guard let device = DeviceID(device), let server = ServerID(server), let key = AgreementPublicKey(key) else {
            throw PhoneError(.storeDamaged, "the vault's entries about the pairing cannot be read; pair again")
        }
        return DevicePairing(deviceID: device, server: ServerIdentity(id: server, publicKey: key))
    }

    /// Writes the whole connection at once and removes everything of an earlier one.
    ///
    /// - Parameters:
    ///   - deviceKey: the key of the paired device; nil keeps the stored one.
    ///   - others: more entries for the same write, such as the bank's credentials.
    package func save(
        to vault: VaultSecretStore, deviceKey: PairedDeviceKey? = nil, with others: [String: Secret] = [:]
    ) async throws {
        var texts: [Entry: String] = [
            .brokerURL: brokerURL.absoluteString, .inbox: inbox.path(percentEncoded: false),
        ]
        texts[.trust] = trust.stored
        texts[.unprovenBroker] = trustsUnprovenBroker ? Self.trustedUnproven : nil
        texts[.deviceID] = pairing?.deviceID.description
        texts[.serverID] = pairing?.server.id.description
        texts[.serverKey] = pairing?.server.publicKey.description
        if let deviceKey, deviceKey.maker != DeviceKeyMakers.vault {
            texts[.deviceKeyMaker] = Self.keptIn + deviceKey.maker
            texts[.devicePublicKey] = deviceKey.publicKey.description
        }
        let plain = texts.mapValues(Secret.init)
        defer { for text in plain.values { text.wipe() } }
        var entries = plain
        entries[.token] = credentials.token
        entries[.sharedSecret] = credentials.rawSharedSecret
        entries[.nextToken] = next?.token
        entries[.nextSecret] = next?.rawSharedSecret
        entries[.deviceKey] = deviceKey?.reference
        var gone = Set(Entry.allCases).subtracting(entries.keys)
        if pairing != nil, deviceKey == nil { gone.subtract([.deviceKey, .deviceKeyMaker, .devicePublicKey]) }
        let named = Dictionary(uniqueKeysWithValues: entries.map { ($0.key.rawValue, $0.value) })
        try await vault.store(named.merging(others) { $1 }, removing: gone.map(\.rawValue))
    }

    /// Signs with the key of this phone's pairing, in a vault that the person has just opened.
    ///
    /// - Parameter keys: the places that can keep it.
    /// - Throws: ``PhoneError``, which names a key that cannot be used; what `sign` throws.
    static func withDeviceKey<Signed>(
        in vault: some SecretStore, of keys: DeviceKeyMakers, _ sign: (any DeviceKey) async throws -> Signed
    ) async throws -> Signed {
        guard let reference = try await vault.secret(named: Entry.deviceKey.rawValue) else {
            throw PhoneError(.storeDamaged, "the vault has no device key; pair the phone again")
        }
        defer { reference.wipe() }
        func text(_ entry: Entry) async throws -> String? {
            guard let secret = try await vault.secret(named: entry.rawValue) else { return nil }
            defer { secret.wipe() }
            return secret.revealed()
        }
        guard let maker = try await text(.deviceKeyMaker).map({ String($0.dropFirst(Self.keptIn.count)) }) else {
            return try await sign(keys.key(DeviceKeyMakers.vault, reference, publicKey: nil))
        }
        guard let publicKey = try await text(.devicePublicKey).flatMap({ DevicePublicKey($0) }) else {
            throw PhoneError(.storeDamaged, "the vault's entries about the device key cannot be read; pair again")
        }
        return try await sign(keys.key(maker, reference, publicKey: publicKey))
    }

    // MARK: Changed copies

    func changed(
        credentials: BrokerCredentials, next: BrokerCredentials?, trust: CertificateTrust? = nil
    ) throws(PhoneError) -> PhoneConnection {
        var changed = try PhoneConnection(
            brokerURL: brokerURL.absoluteString, credentials: credentials, next: next,
            inbox: inbox.path(percentEncoded: false), pairing: pairing, trust: trust ?? self.trust)
        changed.trustsUnprovenBroker = trustsUnprovenBroker
        return changed
    }
}
