import Foundation
import KeyVault
import PhoneStore
import Secrets

/// A bank whose credentials are in the vault. Their names are known, their values are not.
package struct StoredBank: Sendable, Hashable {
    package let bankID: String
    /// The names of the stored credentials, sorted.
    package let credentials: [String]
    /// The programs that give some of them, by the credential's name.
    package let programs: [String: CredentialProgram]
    /// The names of the plug-ins' providers that give some of them, by the credential's name.
    package let providers: [String: String]
    package let changedAt: Date?
    package let lastUsedAt: Date?
}

extension CredentialVault {
    /// Returns the banks with stored credentials, sorted by id.
    package func banks() async throws -> [StoredBank] {
        let times = try await store.credentialTimes()
        var names: [String: [String]] = [:]
        var programs: [String: [String: CredentialProgram]] = [:]
        var providers: [String: [String: String]] = [:]
        // Values come before programs and providers, because the names are sorted.
        for entry in try await secrets.names() {
            let parts = entry.split(separator: "/", maxSplits: 2).map(String.init)
            guard parts.count == 3 else { continue }
            if parts[0] == "credential" { names[parts[1], default: []].append(parts[2]) }
            guard parts[0] == "program" || parts[0] == "provider", names[parts[1]]?.contains(parts[2]) != true,
                let sealed = try await secrets.secret(named: entry)
            else { continue }
            names[parts[1], default: []].append(parts[2])
            if parts[0] == "provider" {
                providers[parts[1], default: [:]][parts[2]] = PluggedCredentials.name(sealed)
                sealed.wipe()
            } else {
                programs[parts[1], default: [:]][parts[2]] = try CredentialProgram(sealed: sealed)
            }
        }
        return names.keys.sorted().map { bankID in
            StoredBank(
                bankID: bankID, credentials: names[bankID, default: []].sorted(),
                programs: programs[bankID, default: [:]], providers: providers[bankID, default: [:]],
                changedAt: times[bankID]?.changed,
                lastUsedAt: times[bankID]?.used)
        }
    }

    /// Replaces all credentials of a bank, and removes those that have no new value.
    package func replace(_ credentials: [String: Secret], forBank bankID: String) async throws {
        let kept = Set(credentials.keys)
        let gone = try await banks().first { $0.bankID == bankID }?.credentials.filter { !kept.contains($0) } ?? []
        try await set(credentials, forBank: bankID)
        try await drop(gone, atBank: bankID)
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
