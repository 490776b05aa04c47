import BankScript
import KeyVault
import Messages
import Secrets

/// An approved request, with the vault open for it.
package struct ApprovedRun: Sendable {
    let envelope: RequestEnvelope
    let script: BankScript
    let secrets: VaultSecretStore
    /// The hold on the bank that the person has seen and wants to try against; nil for none.
    let confirmedHold: String?
    let given = GivenCredentials()

    package var id: RequestID { envelope.requestID }
}
