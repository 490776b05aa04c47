import Automation
import KeyVault
import Secrets

/// Keeps what sources of documents need again in the vault, each bank's apart, for one run.
struct VaultSourceMemory: SourceMemory {
    let secrets: VaultSecretStore
    /// The bank of the run. Nothing of another is read or changed.
    let bankID: String

    func kept(forBank asked: String) async throws -> Secret? {
        guard asked == bankID else { return nil }
        return try await secrets.secret(named: Self.entry(bankID))
    }

    func keep(_ value: Secret?, forBank asked: String) async throws {
        guard asked == bankID else { return }
        guard let value else { return try await secrets.remove(named: Self.entry(bankID)) }
        try await secrets.store(value, named: Self.entry(bankID))
    }

    static func entry(_ bankID: String) -> String { "source/\(bankID)" }
}
