import KeyVault
import Phone
import PhoneStore
import WebServing

/// The reason of a refusal, for the person.
///
/// The phone's own messages are English, as at the terminal. In another language a sentence for the error's code stands before
/// such a message, or in its place where it says all.
enum RefusalWords {
    static func of(_ error: VaultError) -> String {
        let message = ReportText.cleaned(error.message)
        switch error.code {
        case .wrongPassphrase: return told(message, "refusal.wrong-passphrase", isWhole: true)
        case .wrongPasskey: return told(message, "refusal.wrong-passkey", isWhole: true)
        case .busy: return told(message, "refusal.vault-busy", isWhole: true)
        case .inUse: return told(message, "refusal.vault-in-use", isWhole: true)
        case .weakPassphrase:
            return told(
                message, "refusal.weak-passphrase", ["count": String(Vault.shortestPassphrase)], isWhole: true)
        case .delayed:
            let seconds = String(max(1, error.wait?.components.seconds ?? 1))
            return told(message, "refusal.delayed", ["seconds": seconds], isWhole: true)
        default: return told(message, "refusal.vault")
        }
    }

    static func of(_ error: PhoneError) -> String {
        switch error.code {
        case .notPending, .unknownRequest: told(error.message, "refusal.not-pending")
        case .expired: told(error.message, "refusal.expired", isWhole: true)
        case .scriptChanged: told(error.message, "refusal.script-changed", isWhole: true)
        case .brokerUnreachable: told(error.message, "refusal.broker-unreachable")
        case .brokerRefused, .brokerConflict, .brokerMalformed: told(error.message, "refusal.broker")
        case .pinMismatch: told(error.message, "refusal.pin")
        case .factorMissing: told(error.message, "refusal.factor")
        case .onHold: told(error.message, "refusal.on-hold")
        case .homeBusy: told(error.message, "refusal.busy")
        case .notSetUp: told(error.message, "refusal.locked")
        default: told(error.message, "refusal.any")
        }
    }

    static func of(_ error: WebAuthnError) -> String {
        switch error.code {
        case .wrongChallenge: told(error.message, "refusal.passkey-late", isWhole: true)
        case .unknownCredential: told(error.message, "refusal.passkey-unknown", isWhole: true)
        case .counterWentBack: told(error.message, "refusal.passkey-copied")
        case .missingExtension: told(error.message, "refusal.passkey-without-secret", isWhole: true)
        case .userNotPresent: told(error.message, "refusal.passkey-untouched", isWhole: true)
        case .userNotVerified: told(error.message, "refusal.passkey-unverified", isWhole: true)
        case .consentMissing:
            // Its last word is the command, which is the same in every language.
            told(
                error.message, "refusal.passkey-consent",
                ["command": error.message.components(separatedBy: ": ").last ?? ""], isWhole: true)
        default: told(error.message, "refusal.passkey")
        }
    }

    /// Returns the reason why a form is shown again.
    static func again(_ error: VaultError) -> String {
        PageText.of("refusal.again", ["problem": PageText.isForeign ? of(error) : error.message])
    }

    /// - Parameter isWhole: the sentence says all that the message does.
    static func told(
        _ message: String, _ key: String, _ values: [String: String] = [:], isWhole: Bool = false
    ) -> String {
        guard PageText.isForeign else { return message }
        let sentence = PageText.of(key, values)
        return isWhole ? sentence : PageText.of("refusal.in-english", ["sentence": sentence, "message": message])
    }
}
