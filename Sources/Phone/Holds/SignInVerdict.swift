import Automation
import BankScript
import Messages

/// The bank's verdict on the credentials of a run, as the run's end shows it.
enum SignInVerdict: Sendable, Hashable {
    case accepted
    /// The bank does not accept the credentials, or not without a person.
    case refused(FailureReason?)
    /// The bank refused a one-time code. Codes are mistyped now and then; two in a row are not.
    case wrongCode

    /// - Returns: nil when the failure says nothing about the credentials, for example that the network failed.
    init?(_ failure: RunFailure) {
        switch failure.reason {
        case .wrongCredentials, .accountLocked, .passwordChangeRequired, .attemptsUsed: self = .refused(failure.reason)
        case .wrongCode: self = .wrongCode
        case .statementMissing: self = .accepted
        // A script that declares no reason has only said that the sign-in failed.
        case nil where failure.code == .bankLoginFailed: self = .refused(nil)
        case _ where failure.code == .pdfDownloadFailed: self = .accepted
        default: return nil
        }
    }
}
