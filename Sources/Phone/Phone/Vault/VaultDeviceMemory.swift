import Automation
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Storage
import Synchronization

/// Keeps the cookies by which a bank knows this phone in the vault, for one run.
///
/// The database says which banks know it: what the owner has forgotten there is not shown to the bank, and leaves the vault when
/// it is open next.
final class VaultDeviceMemory: DeviceMemory {
    private let secrets: VaultSecretStore
    private let store: PhoneDatabase
    private let bankID: String
    private let given: GivenCredentials
    /// True once the run has had a device of an earlier one.
    private let hasRecalled = Mutex(false)

    /// - Parameters:
    ///   - bankID: the bank of the run. Nothing of another is read or changed.
    ///   - given: keeps the values until the run's last report is written, so that the redactor knows them.
    init(secrets: VaultSecretStore, store: PhoneDatabase, bankID: String, given: GivenCredentials) {
        self.secrets = secrets
        self.store = store
        self.bankID = bankID
        self.given = given
    }

    func device(atBank asked: String) async throws -> KnownDevice? {
        guard asked == bankID else { return nil }
        try await removeForgotten()
        guard let kept = try await secrets.secret(named: Self.entry(bankID)) else { return nil }
        defer { kept.wipe() }
        hasRecalled.withLock { $0 = true }
        return KnownDevice(kept).map(guarding)
    }

    func keep(_ device: KnownDevice?, atBank asked: String) async throws {
        guard asked == bankID else { return }
        guard let device else {
            try await Self.forget(bankID, secrets, store, because: "bank")
            return
        }
        let sealed = guarding(device).sealed
        defer { sealed.wipe() }
        // The owner may have forgotten it while the bank was visited.
        let isKnown = try await store.banksThatKnowThisPhone().contains { $0.bankID == bankID }
        guard isKnown || !hasRecalled.withLock({ $0 }) else { return try await removeForgotten() }
        try await secrets.store(sealed, named: Self.entry(bankID))
        guard try await store.rememberKnown(byBank: bankID, since: Date()) else { return }
        try await store.audit.record(AuditEvent(.bankKnowsPhone, details: ["bank_id": .string(bankID)]))
    }

    private func guarding(_ device: KnownDevice) -> KnownDevice {
        for cookie in device.cookies { given.add(cookie.value) }
        return device
    }

    private func removeForgotten() async throws {
        let known = Set(try await store.banksThatKnowThisPhone().map { Self.entry($0.bankID) })
        for name in try await secrets.names() where name.hasPrefix(Self.folder) && !known.contains(name) {
            try await secrets.remove(named: name)
        }
    }

    private static let folder = "device/"

    static func entry(_ bankID: String) -> String { folder + bankID }

    /// Forgets the device at a bank.
    ///
    /// - Parameter reason: `owner`, or `bank` where the bank has taken it back.
    /// - Returns: false if the bank did not know it.
    @discardableResult
    static func forget(
        _ bankID: String, _ secrets: VaultSecretStore?, _ store: PhoneDatabase, because reason: String
    ) async throws -> Bool {
        let wasKnown = try await store.forgetKnown(byBank: bankID)
        try await secrets?.remove(named: entry(bankID))
        if wasKnown {
            try await store.audit.record(
                AuditEvent(.bankForgotPhone, details: ["bank_id": .string(bankID), "by": .string(reason)]))
        }
        return wasKnown
    }
}

extension CredentialVault {
    /// Forgets the cookies by which a bank knows this phone: the bank asks for a code at the next visit.
    ///
    /// - Throws: ``PhoneError`` when the bank does not know it.
    package func forgetDevice(atBank bankID: String) async throws {
        guard try await VaultDeviceMemory.forget(bankID, secrets, store, because: "owner") else {
            throw PhoneError(
                .invalidSetting, "the bank “\(bankID)” does not know this phone; see: countersign phone banks")
        }
    }
}

extension PhoneDatabase {
    /// Forgets the cookies by which a bank knows this phone, without the vault: they are not used again, and leave it when it is
    /// open next.
    ///
    /// - Returns: false if the bank does not know it.
    package func forgetDevice(atBank bankID: String) async throws -> Bool {
        try await VaultDeviceMemory.forget(bankID, nil, self, because: "owner")
    }
}
