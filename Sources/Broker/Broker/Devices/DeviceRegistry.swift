import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import Secrets
import Signer
import Storage

/// Tells the running broker which device calls, and with which secrets.
struct DeviceRegistry: Sendable {
    let devices: DeviceStore
    let approvals: ApprovalStore
    let sealing: Sealing
    let standard: DefaultDevice?

    /// The shortest time between two notes of a device's calls.
    private static let sightingInterval: TimeInterval = 10
    /// The silence after which a device's next call counts as a connection, for the audit log.
    private static let connectionInterval: TimeInterval = 900

    init(_ database: BrokerDatabase, sealing: Sealing, standard: DefaultDevice?) {
        devices = database.devices
        approvals = database.approvals
        self.sealing = sealing
        self.standard = standard
    }

    /// The device of `PHONE_API_TOKEN`, unless it is switched off.
    var standardInUse: DefaultDevice? {
        get async throws { try await devices.isDefaultDeviceOn() ? standard : nil }
    }

    /// Returns whether a device is still one; its name is that of a ``CallingDevice``.
    func isDevice(_ name: String) async throws -> Bool {
        if name == DeviceStore.defaultDeviceName { return try await standardInUse != nil }
        return try await devices.devices().contains { $0.id.description == name }
    }

    /// Returns the device with this token. The first call with a rotation's new token ends the old one.
    func device(showing token: Substring, at now: Date) async throws -> CallingDevice? {
        if let standard, standard.token.isEqual(toBytes: token.utf8), try await devices.isDefaultDeviceOn() {
            try await noteCall(of: DeviceStore.defaultDeviceName, at: now)
            return .standard(standard)
        }
        let digest = PairedDevice.digest(ofToken: token.utf8)
        guard case (var device, let isCurrent)? = try await devices.device(withToken: digest) else { return nil }
        if !isCurrent {
            guard let rotated = try await devices.finishRotation(of: device.id, token: digest, at: now) else {
                return nil
            }
            device = rotated
        }
        try await noteCall(of: device.id.description, at: now)
        return .paired(device)
    }

    private func noteCall(of name: String, at now: Date) async throws {
        let time = Timestamp(now)
        let silence = try await devices.lastCall(of: name).map { abs(time.date.timeIntervalSince($0.date)) }
        if let silence, silence < Self.sightingInterval { return }
        let connects = silence.map { $0 >= Self.connectionInterval } ?? true
        try await devices.noteCall(of: name, at: time, connects: connects)
    }

    /// Returns the secret that the device signs with.
    func secret(of device: PairedDevice) throws -> SharedSecret { try SharedSecret(try unsealedSecret(of: device)) }

    func secret(of caller: CallingDevice) throws -> SharedSecret {
        switch caller {
        case .standard(let device): device.secret
        case .paired(let device): try secret(of: device)
        }
    }

    private func unsealedSecret(of device: PairedDevice) throws -> Secret {
        guard let sealed = device.secretSealed else { throw StoreError(message: "the device was removed") }
        return try sealing.open(sealed, as: device.purpose)
    }

    /// Returns the secrets with which a manifest about this request may be signed: those of the device that runs it, and
    /// no other. A device whose secret was rotated since it approved may sign with either.
    func manifestSecrets(of id: RequestID) async throws -> [SharedSecret] {
        guard let executor = try await approvals.executor(of: id) else {
            guard let standard, try await devices.isDefaultDeviceOn() else { return [] }
            return [standard.secret]
        }
        return try executor.sealedSecrets.map {
            try SharedSecret(try sealing.open($0, as: PairedDevice.purpose(executor.device)))
        }
    }

    // MARK: Envelopes

    /// Returns the requests as this device receives them: signed with its secret, each under a nonce of its own.
    func envelopes(of records: [RequestRecord], for device: PairedDevice) async throws -> [RequestID: JSONValue] {
        let secret = try secret(of: device)
        let nonces = try await devices.nonces(of: device.id, for: records.map(\.id))
        return try records.reduce(into: [:]) { envelopes, record in
            guard let nonce = nonces[record.id] else { return }
            envelopes[record.id] = try record.envelope(nonce: nonce).signed(with: secret).json
        }
    }

    // MARK: Rotation

    /// Agrees with a device on its next token and secret. The current ones stay valid until the new token is first used.
    ///
    /// - Returns: the broker's answer to the device.
    /// - Throws: `TrustError` when the message is not a valid rotation message.
    func rotate(_ device: PairedDevice, message: JSONValue, at now: Date) async throws -> JSONValue {
        let rotation = try BrokerRotation(
            message: message, deviceID: device.id, secret: try unsealedSecret(of: device))
        let token = rotation.credentials.token.withUnsafeBytes { PairedDevice.digest(ofToken: $0) }
        let secret = try sealing.seal(rotation.credentials.sharedSecret, as: device.purpose)
        guard try await devices.agreeOnRotation(of: device, token: token, secret: secret, at: now) else {
            throw APIError.unauthorized
        }
        return rotation.answer
    }
}
