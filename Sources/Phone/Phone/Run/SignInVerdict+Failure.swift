import Automation
import Messages
import PhoneStore

extension SignInVerdict {
    /// - Returns: nil when the failure says nothing about the credentials, for example that the network failed.
    package init?(_ failure: RunFailure) {
        switch failure.reason {
        case .wrongCredentials, .accountLocked, .passwordChangeRequired, .attemptsUsed, .signInNotConfirmed:
            self = .refused(failure.reason)
        case .wrongCode: self = .wrongCode(count: max(1, failure.refusedCodes))
        case .statementMissing where failure.isBehindSignIn, .searchLimit where failure.isBehindSignIn: self = .accepted
        // A script that declares no reason has only said that the sign-in failed.
        case nil where failure.code == .bankLoginFailed: self = .refused(nil)
        case _ where failure.code == .pdfDownloadFailed && failure.isBehindSignIn: self = .accepted
        // Whatever ended the run, the bank may have counted the credential.
        case _ where failure.isSignInUnanswered: self = .refused(.signInNotConfirmed)
        // And it has counted these codes.
        case _ where failure.refusedCodes > 0: self = .wrongCode(count: failure.refusedCodes)
        case _ where failure.isCodeConfirmed: self = .accepted
        default: return nil
        }
    }
}

extension RunFailure {
    /// True if the step that failed belongs behind the sign-in, and nothing speaks against that the run was there.
    fileprivate var isBehindSignIn: Bool { !isLastCodeRefused && !isSignInUnconfirmed }
}
