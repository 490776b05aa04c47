import Clocks
import CurlClient
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Machine
import PhoneStore
import Secrets
import Storage

/// The devices that are paired with this phone's broker, seen and removed from this phone.
///
/// The vault is open for one call only, because the device key signs the removal.
package struct PairedDevices: Sendable {
    /// A device as the broker lists it.
    package struct Device: Sendable, Hashable {
        package let id: DeviceID
        /// Cleaned for a terminal.
        package let name: String
        package let lastSeenAt: Timestamp?
        /// True for this phone.
        package let isThisPhone: Bool
    }

    private let home: PhoneHome
    private let keys: DeviceKeyMakers
    private let http: CurlConfiguration

    /// - Parameter keys: the places that can keep this phone's device key.
    package init(
        of home: PhoneHome, keys: DeviceKeyMakers = DeviceKeyMakers(), http: CurlConfiguration = CurlConfiguration()
    ) {
        self.home = home
        self.keys = keys
        self.http = http
    }

    /// - Parameter sockets: those of brokers on this machine, by their other addresses.
    package init(of home: PhoneHome, keys: DeviceKeyMakers, sockets: [String: ServedSocket]) {
        var http = CurlConfiguration()
        http.sockets = sockets
        self.init(of: home, keys: keys, http: http)
    }

    /// Returns the broker's list, this phone included.
    package func list(with verification: any UserVerification) async throws -> [Device] {
        try await withBroker(verification, reason: "List the paired devices") { client, pairing, _ in
            try await devices(client, pairing)
        }
    }

    /// Removes a device at once.
    ///
    /// - Parameter name: the device's id, at least the first four characters of the id, or its name.
    /// - Returns: the removed device.
    /// - Throws: ``PhoneError``; `invalidSetting` unless exactly one device matches.
    package func remove(_ name: String, with verification: any UserVerification) async throws -> Device {
        try await withBroker(verification, reason: "Remove a paired device") { client, pairing, secrets in
            let all = try await devices(client, pairing)
            let found = all.filter { device in
                device.name == name || (name.count >= 4 && device.id.description.hasPrefix(name.lowercased()))
            }
            guard let device = found.first, found.count == 1 else {
                let names = all.map { "\($0.id.short) \($0.name)" }.joined(separator: ", ")
                throw PhoneError(
                    .invalidSetting,
                    "“\(name)” matches \(found.count) devices; give the id of one: \(names.isEmpty ? "none" : names)")
            }
            let factor: ApprovalFactor = verification.means == .passkey ? .passkey : .passphrase
            let removal = DeviceRemoval(of: device.id, by: pairing.deviceID, verifiedBy: [factor], at: Date())
            let signed = try await PhoneConnection.withDeviceKey(in: secrets, of: keys) { key in
                try await removal.signed(for: pairing.server.id, with: key)
            }
            try await client.remove(device.id, signed)
            try await PhoneDatabase(home).audit.record(
                AuditEvent(
                    .deviceRemoved, severity: .warning,
                    details: ["device": .string(device.id.description), "name": .string(device.name)]))
            return device
        }
    }

    private func devices(
        _ client: PhoneBrokerClient, _ pairing: DevicePairing
    ) async throws(PhoneError) -> [Device] {
        let answer = try await client.devices()
        guard let entries = answer["devices"]?.arrayValue else {
            throw PhoneError(.brokerMalformed, "the broker's list of devices cannot be read; update the broker")
        }
        return entries.compactMap { entry in
            guard let id = entry["device_id"]?.stringValue.flatMap({ DeviceID($0) }) else { return nil }
            return Device(
                id: id, name: ReportText.cleaned(entry["device_name"]?.stringValue ?? "", limit: 64),
                lastSeenAt: entry["last_seen_at"]?.stringValue.flatMap { Timestamp($0) },
                isThisPhone: id == pairing.deviceID)
        }
    }

    /// Calls the broker with the credentials in use: the next ones of an unfinished rotation, else the current ones.
    private func withBroker<Result>(
        _ verification: any UserVerification, reason: String,
        _ body: (PhoneBrokerClient, DevicePairing, VaultSecretStore) async throws -> Result
    ) async throws -> Result {
        let secrets = try await home.open(verification, reason: reason)
        defer { secrets.close() }
        let (connection, _) = try await BrokerTrust.connection(from: secrets, store: PhoneDatabase(home), http: http)
        guard let pairing = connection.pairing else {
            throw PhoneError(
                .factorMissing, "this phone is not paired, so that it cannot sign; pair it: countersign phone pair -")
        }
        var refusal: (any Error)?
        for credentials in [connection.next, connection.credentials].compactMap({ $0 }) {
            let client = PhoneBrokerClient(
                baseURL: connection.brokerURL, token: credentials.token,
                configuration: connection.trust.applied(to: http))
            do {
                let result = try await body(client, pairing, secrets)
                await client.close()
                return result
            } catch {
                await client.close()
                refusal = error
                guard (error as? PhoneError)?.status == 401 else { break }
            }
        }
        throw refusal ?? PhoneError(.notSetUp, "the phone does not know its broker yet; run: countersign phone setup")
    }
}

extension PhoneBrokerClient {
    fileprivate func devices() async throws(PhoneError) -> JSONValue {
        try json(
            of: try await send("GET", "/phone/devices"), limits: JSONLimits(depth: 8, size: Self.largestAnswer))
    }

    fileprivate func remove(_ id: DeviceID, _ removal: JSONValue) async throws(PhoneError) {
        _ = try await send("POST", "/phone/devices/\(id)/remove", body: removal)
    }
}
