import BankScript
import Foundation

/// A bank to which this phone signs in only after a person has looked: it refused the stored credentials, or may have.
///
/// Banks lock an account after a few refused sign-ins. A hold ends when other credentials are stored, when a sign-in
/// succeeds, or for one try that the person confirms separately.
package struct SignInHold: Sendable, Hashable {
    /// Another one after each refusal, so that a confirmation covers one try.
    package let id: String
    package let bankID: String
    /// Nil when the script declares no reason; `cancelled` when the phone stopped before the bank's answer was known.
    package let reason: FailureReason?
    package let since: Date

    /// The predicate of a sentence about the bank: what it answered, and what another try risks.
    package var words: String {
        let day = since.formatted(Date.FormatStyle(locale: Locale(identifier: "en_GB")).day().month(.wide).year())
        let answer =
            switch reason {
            case .accountLocked: "said on \(day) that the account is locked"
            case .passwordChangeRequired: "asked on \(day) for a new password"
            case .wrongCode: "refused one-time codes one after the other, the last one on \(day)"
            case .cancelled: "may have refused these credentials on \(day), when the phone stopped during the sign-in"
            case .signInNotConfirmed:
                "may have refused these credentials on \(day): no page behind the sign-in was seen"
            case .attemptsUsed: "asked on \(day) for the password again after it was sent"
            default: "refused these credentials on \(day)"
            }
        return answer + ", and another try can \(reason == .accountLocked ? "keep it locked" : "lock the account")"
    }
}
