import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Storage

extension PhoneHome {
    /// Opens the vault by the owner's verification. The audit log tells of a refusal, wherever it was tried: an owner looks there
    /// first for the guesses of others.
    ///
    /// - Parameters:
    ///   - reason: tells the owner in a sentence what they agree to.
    ///   - request: the request that is to be approved.
    package func open(
        _ verification: any UserVerification, reason: String, for request: RequestID? = nil, at now: Date = Date()
    ) async throws -> VaultSecretStore {
        do {
            let secrets = try await verification.open(vault, reason: reason)
            await finishNewKey(in: secrets)
            return secrets
        } catch {
            await recordRefusal(error, of: verification.means, to: reason, for: request, at: now)
            throw error
        }
    }

    private func recordRefusal(
        _ error: any Error, of means: VerificationMeans, to reason: String, for request: RequestID?, at now: Date
    ) async {
        guard vault.exists else { return }
        // Nothing was tried.
        if let error = error as? VaultError, [.busy, .inUse].contains(error.code) { return }
        // Where the log cannot be written, the person still hears why the vault did not open.
        _ = try? await PhoneDatabase(self).audit.record(
            AuditEvent(
                .verificationFailed, severity: .warning, requestID: request?.description,
                details: [
                    "means": .string(means.rawValue), "purpose": .string(reason),
                    "message": .string(ReportText.cleaned("\(error)")),
                ], time: now))
    }
}
