import Automation
import Foundation
import KeyVault
import Machine
import PhoneStore
import Secrets

/// Keeps what a bank gave in exchange for a credential in the vault, for one run or one connection.
struct VaultGrantStore: GrantStore {
    let secrets: VaultSecretStore
    /// The bank of the run. Nothing of another is read or changed.
    let bankID: String
    let home: PhoneHome
    /// Keeps what was handed out until the run's last report is written, so that the redactor knows it.
    let given: GivenCredentials

    func kept(forBank asked: String) async throws -> Secret? {
        guard asked == bankID else { return nil }
        let kept = try await secrets.secret(named: Self.entry(bankID))
        if let kept { given.add(kept) }
        return kept
    }

    func keep(_ value: Secret?, forBank asked: String) async throws {
        guard asked == bankID else { return }
        guard let value else { return try await secrets.remove(named: Self.entry(bankID)) }
        given.add(value)
        try await secrets.store(value, named: Self.entry(bankID))
    }

    func lock(forBank asked: String) async throws -> any Sendable {
        let file = home.exchangeLock
        // Another program may wait for the bank's answer, which takes seconds.
        let lock = try await BlockingWork.run { try FileLock(file, patience: Self.patience) }
        guard let lock else {
            throw PhoneError(
                .homeBusy, "another program renews what the bank gave this phone; try again in a minute")
        }
        return lock
    }

    private static let patience: Duration = .seconds(60)

    static func entry(_ bankID: String) -> String { "grant/\(bankID)" }
}
