import Automation
import BankScript
import Messages
import Secrets

extension RunFailure {
    /// The failure of a dialog in the terms that are the same for every source.
    init(_ failure: FinTSFailure) {
        let (code, reason): (ErrorCode, FailureReason?) =
            switch failure.kind {
            case .wrongPIN: (.bankLoginFailed, .wrongCredentials)
            case .locked: (.bankLoginFailed, .accountLocked)
            case .wrongTAN: (.bankLoginFailed, .wrongCode)
            case .tanExpired: (.bankLoginFailed, .codeExpired)
            case .approvalMissing: (.bankSecondFactorTimeout, .noAnswer)
            case .approvalCancelled: (.bankLoginFailed, .approvalCancelled)
            case .strongAuthenticationRequired: (.bankLoginFailed, .extraIdentification)
            case .productRefused, .refused, .otherBank: (.navigationFailed, .refusedByBank)
            case .maintenance: (.navigationFailed, .maintenance)
            case .nothingFound: (.pdfDownloadFailed, .statementMissing)
            case .notOffered: (.pdfDownloadFailed, nil)
            case .garbled: (.navigationFailed, .layoutChanged)
            case .otherAccount: (.navigationFailed, .layoutChanged)
            case .network: (.navigationFailed, .networkFailed)
            case .serverError: (.navigationFailed, .serverError)
            case .keyMismatch: (.navigationFailed, .keyMismatch)
            case .cancelled: (.navigationFailed, .cancelled)
            }
        // Bank codes are public, and without them the sentence names no remedy.
        let message =
            failure.kind == .otherBank ? Redactor.redact(failure.description) : sanitised(failure.description)
        self.init(
            code, reason: reason, message: message, bankWords: failure.bankWords.map(sanitised))
        refusedCodes = failure.kind == .wrongTAN ? 1 : 0
        isLastCodeRefused = failure.kind == .wrongTAN
    }

    /// Says of a failure after the PIN has left, where the bank's answer does not tell whether it took the PIN: the bank may have
    /// counted it as a wrong one.
    mutating func doubtUnansweredSignIn() {
        guard code == .navigationFailed, let reason,
            [.cancelled, .networkFailed, .serverError, .layoutChanged].contains(reason)
        else { return }
        isSignInUnanswered = true
        if reason != .cancelled { doubtSignIn() }
    }
}
