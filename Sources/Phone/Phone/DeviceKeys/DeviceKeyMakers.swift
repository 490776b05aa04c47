import Clocks
import DeviceTrust
import Encodings
import PhoneStore
import Secrets

/// The places that can keep this phone's device key, by name. The vault is always one.
package struct DeviceKeyMakers: Sendable {
    /// The name of the vault among them.
    package static let vault = "vault"

    private let all: [String: any DeviceKeyMaker]
    private let limit: Duration

    /// - Parameters:
    ///   - plugged: those of plug-ins, by name.
    ///   - limit: the time for one call. It is enough for a person who touches a token.
    package init(_ plugged: [String: any DeviceKeyMaker] = [:], limit: Duration = .seconds(60)) {
        all = plugged.merging([Self.vault: VaultDeviceKeyMaker()]) { $1 }
        self.limit = limit
    }

    /// Checks that a key can be made under this name.
    ///
    /// - Throws: ``PhoneError`` with the names there are.
    package func check(_ name: String) throws(PhoneError) {
        guard all[name] == nil else { return }
        throw PhoneError(
            .invalidSetting,
            "no device key “\(name.inLine(limit: 60))” is plugged in; the names are: "
                + ([Self.vault] + all.keys.filter { $0 != Self.vault }.sorted()).joined(separator: ", "))
    }

    /// Makes a key for a pairing.
    ///
    /// - Throws: ``PhoneError`` that names the key.
    func make(_ name: String) async throws -> PairedDeviceKey {
        try check(name)
        let place = try place(name)
        let made = try await place.call { try await $0.make() }
        guard (1...PairedDeviceKey.longestReference).contains(made.reference.count) else {
            made.reference.wipe()
            throw place.failure(
                "gave no reference of 1 to \(PairedDeviceKey.longestReference) bytes, by which to find it again")
        }
        return PairedDeviceKey(
            maker: name, reference: made.reference, key: CheckedDeviceKey(made.key, made.key.publicKey, at: place))
    }

    /// Returns the key of an earlier pairing.
    ///
    /// - Parameter publicKey: the key of the pairing; nil for one of the vault, which is kept whole.
    /// - Throws: ``PhoneError`` that names the key; for one of the vault ``TrustError`` when it is damaged.
    func key(_ name: String, _ reference: Secret, publicKey: DevicePublicKey?) async throws -> any DeviceKey {
        let place = try place(name)
        let key = try await place.call { try await $0.key(reference) }
        let found = key.publicKey
        guard publicKey == nil || publicKey == found else {
            throw place.failure(
                "is another key than the one of the pairing; connect the device that has it, or pair the phone again")
        }
        return CheckedDeviceKey(key, found, at: place)
    }

    private func place(_ name: String) throws(PhoneError) -> DeviceKeyPlace {
        guard let maker = all[name] else {
            throw PhoneError(
                .deviceKeyUnusable,
                "this phone signs with the device key “\(name.inLine(limit: 60))”, which is not plugged into this program; "
                    + "start the program that has it, or pair the phone again")
        }
        return DeviceKeyPlace(name: name, maker: maker, limit: limit)
    }
}

/// A place of keys with its name. Its code is a stranger's: it can throw, hang and lie.
private struct DeviceKeyPlace: Sendable {
    let name: String
    let maker: any DeviceKeyMaker
    let limit: Duration

    func call<Answer: Sendable>(
        _ call: @escaping @Sendable (any DeviceKeyMaker) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await callingOut(atMost: limit, on: SystemClock()) { [maker] in try await call(maker) }
        } catch let error as TrustError {
            // The vault's own, which says what to do.
            throw error
        } catch is TimeLimitExceeded {
            throw failure("did not answer within \(limit.components.seconds) s; make it ready, and try again")
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw failure("cannot be used: \(ReportText.cleaned("\(error)"))")
        }
    }

    func failure(_ problem: String) -> PhoneError {
        PhoneError(.deviceKeyUnusable, "nothing was signed, because the device key “\(name)” \(problem)")
    }
}

/// A key whose signatures are checked before anything else sees them.
private struct CheckedDeviceKey: DeviceKey {
    let publicKey: DevicePublicKey
    private let key: any DeviceKey
    private let place: DeviceKeyPlace

    init(_ key: any DeviceKey, _ publicKey: DevicePublicKey, at place: DeviceKeyPlace) {
        self.key = key
        self.publicKey = publicKey
        self.place = place
    }

    func signature(of payload: [UInt8]) async throws -> DeviceSignature {
        let signature = try await place.call { [key] _ in try await key.signature(of: payload) }
        guard publicKey.isValid(signature, for: payload) else {
            throw place.failure("gave a signature that is not its own; pair the phone again if this stays so")
        }
        return signature
    }
}
