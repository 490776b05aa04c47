import BankScript
import Messages

/// A failure that a script declares, in words for the owner. The script gives a code and a reason, and the words have the next step.
struct DeclaredFailure {
    private let code: ErrorCode
    private let reason: FailureReason?

    init(_ code: ErrorCode, _ reason: FailureReason?) {
        self.code = code
        self.reason = reason
    }

    /// Returns what the bank does, behind its name.
    func words(of script: BankScript) -> String {
        switch reason {
        case .wrongCredentials: "did not accept \(Self.credentials(of: script))"
        case .signInNotConfirmed: "may have refused the sign-in"
        case .passwordChangeRequired: "wants a new password before it goes on"
        case .termsToAccept: "wants terms to be accepted"
        case .accountLocked: "has locked the account"
        case .extraIdentification: "asks for more identification"
        case .wrongCode: "did not accept the code"
        case .codeExpired: "no longer accepts the code"
        case .tooManyCodes: "takes no more codes for now"
        case .attemptsUsed: "was sent a credential or a code as often as a run may send it"
        case .approvalCancelled: "was told in its app not to go on"
        case .maintenance: "is under maintenance"
        case .sessionExpired: "ended the session"
        case .statementMissing: "has no such statement"
        case .searchLimit: "has more pages than the script looks at"
        case .javascriptRequired: "shows this page only with JavaScript"
        case .serverError: "had an error"
        case .refusedByBank: "turned this program away"
        case .networkFailed: "could not be reached"
        case .timeout: "did not answer in time"
        case .noAnswer: "got no answer in time"
        case .credentialMissing: "needs a credential that is not stored"
        case .layoutChanged, .foreignOrigin, .insecureContent, .keyMismatch, .notAPDF, .tooLarge:
            "did not answer as the script expects it"
        case .consentEnded: "says that your consent has ended"
        case .cancelled: "stopped what was asked for"
        case nil: wordsWithoutReason
        }
    }

    private var wordsWithoutReason: String {
        switch code {
        case .bankLoginFailed: "did not accept the sign-in"
        case .bankSecondFactorTimeout: "was not given the second factor in time"
        case .pdfDownloadFailed: "did not send the document"
        case .consentEnded: "says that your consent has ended"
        case .executionTimeout: "took too long"
        default: "showed a page that ends the run"
        }
    }

    /// The command alone would not do: it is refused while the page runs, as it does during every run.
    private static func place(of script: BankScript) -> String {
        "on the page, under Banks, or with the phone stopped: countersign phone banks change \(script.id)"
    }

    /// Returns the one thing that the owner can do; nil for a consent, whose end names its own way out.
    func nextStep(at script: BankScript) -> String? {
        switch reason {
        case .wrongCredentials:
            "check it, and store it anew \(Self.place(of: script))"
        case .credentialMissing: "store it \(Self.place(of: script))"
        case .signInNotConfirmed, .attemptsUsed, .passwordChangeRequired, .termsToAccept, .extraIdentification:
            "sign in by hand once"
        case .accountLocked: "sign in by hand or call the bank"
        case .wrongCode: "run again with the newest one"
        case .codeExpired: "run again with a fresh one"
        case .tooManyCodes: "wait, or sign in by hand"
        case .approvalCancelled: "run again and approve"
        case .maintenance, .serverError: "try again later"
        case .sessionExpired, .timeout, .noAnswer, .cancelled: "try again"
        case .statementMissing: "ask for another month"
        case .javascriptRequired: "the script needs engine: browser, or the page's JSON requests"
        case .refusedByBank: "wait some hours, or sign in by hand once"
        case .networkFailed: "check the network, and try again"
        case .layoutChanged, .foreignOrigin, .insecureContent, .keyMismatch, .notAPDF, .tooLarge, .searchLimit:
            "tell the script's author"
        case .consentEnded: nil
        case nil: nextStepWithoutReason
        }
    }

    private var nextStepWithoutReason: String? {
        switch code {
        case .consentEnded: nil
        case .bankLoginFailed: "sign in by hand once, to see what it asks for"
        case .bankSecondFactorTimeout: "run again, with the device that shows or approves it at hand"
        case .executionTimeout: "try again later"
        default: "sign in by hand once, to see what it shows; if it is as usual, tell the script's author"
        }
    }

    /// Names what a person typed: a token is neither a name nor a password.
    private static func credentials(of script: BankScript) -> String {
        let names = script.credentials.map { $0.replacing("_", with: " ") }
        guard names != ["username", "password"], !names.isEmpty else { return "username or password" }
        return "the " + names.joined(separator: " or the ")
    }
}
