import Foundation
import KeyVault
import PhoneStore
import Secrets

/// A bank whose credentials are in the vault. Their names are known, their values are not.
package struct StoredBank: Sendable, Hashable {
    package let bankID: String
    /// The names of the stored credentials, sorted.
    package let credentials: [String]
    package let changedAt: Date?
    package let lastUsedAt: Date?
}

extension CredentialVault {
    /// Returns the banks with stored credentials, sorted by id.
    package func banks() async throws -> [StoredBank] {
        let times = try await store.credentialTimes()
        var names: [String: [String]] = [:]
        for entry in try await secrets.names() {
            let parts = entry.split(separator: "/", maxSplits: 2).map(String.init)
            if parts.count == 3, parts[0] == "credential" { names[parts[1], default: []].append(parts[2]) }
        }
        return names.keys.sorted().map { bankID in
            StoredBank(
                bankID: bankID, credentials: names[bankID] ?? [], changedAt: times[bankID]?.changed,
                lastUsedAt: times[bankID]?.used)
        }
    }

    /// Replaces all credentials of a bank, and removes those that have no new value.
    package func replace(_ credentials: [String: Secret], forBank bankID: String) async throws {
        let kept = Set(credentials.keys)
        let gone = try await banks().first { $0.bankID == bankID }?.credentials.filter { !kept.contains($0) } ?? []
        try await set(credentials, forBank: bankID)
        for name in gone { try await secrets.remove(named: Self.entry(name, bankID)) }
    }

    /// Removes all credentials of a bank.
    ///
    /// - Throws: ``PhoneError`` when the bank has no stored credentials.
    package func removeAll(forBank bankID: String) async throws {
        guard let bank = try await banks().first(where: { $0.bankID == bankID }) else {
            throw PhoneError(
                .invalidSetting, "no credentials of the bank “\(bankID)” are stored; see: countersign phone banks")
        }
        try await remove(bank.credentials, forBank: bankID)
    }
}
