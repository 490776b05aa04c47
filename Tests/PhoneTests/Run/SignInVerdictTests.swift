import Automation
import BankScript
import Messages
import PhoneStore
import Testing

@testable import Phone

@Suite("The bank's verdict on a run that failed") struct SignInVerdictTests {
    @Test(
        "counts the codes that were refused, and is good once a right one was confirmed",
        arguments: [
            (0, false, nil), (2, false, .wrongCode(count: 2)), (0, true, .accepted), (1, true, .wrongCode(count: 1)),
        ] as [(Int, Bool, SignInVerdict?)])
    func codes(refused: Int, isConfirmed: Bool, verdict: SignInVerdict?) {
        var failure = RunFailure(.navigationFailed, message: "the bank is gone")
        failure.refusedCodes = refused
        failure.isCodeConfirmed = isConfirmed
        #expect(SignInVerdict(failure) == verdict)
    }

    @Test(
        "is a refusal where no page confirmed the sign-in, and never good",
        arguments: [
            (.bankLoginFailed, .signInNotConfirmed, .refused(.signInNotConfirmed)),
            (.pdfDownloadFailed, .notAPDF, nil), (.pdfDownloadFailed, .statementMissing, nil),
            (.navigationFailed, .searchLimit, nil),
            (.navigationFailed, .refusedByBank, nil), (.navigationFailed, .networkFailed, nil),
        ] as [(ErrorCode, FailureReason, SignInVerdict?)])
    func unconfirmed(code: ErrorCode, reason: FailureReason, verdict: SignInVerdict?) {
        var failure = RunFailure(code, reason: reason, message: "another page")
        failure.isSignInUnconfirmed = true
        #expect(SignInVerdict(failure) == verdict)
    }

    @Test(
        "is a refusal if the bank did not answer the password, whatever ended the run",
        arguments: [
            (.executionTimeout, .timeout), (.navigationFailed, .cancelled), (.navigationFailed, .networkFailed),
        ]
            as [(ErrorCode, FailureReason)])
    func unanswered(code: ErrorCode, reason: FailureReason) {
        var failure = RunFailure(code, reason: reason, message: "the run was stopped")
        failure.isSignInUnanswered = true
        #expect(SignInVerdict(failure) == .refused(.signInNotConfirmed))
    }
}
