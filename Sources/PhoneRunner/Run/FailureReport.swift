import Automation
import BankScript
import Foundation
import Messages
import Secrets

/// Why a run ended without a statement, in the specification's codes and in words that may leave the phone.
struct FailureReport: Sendable, Hashable {
    let code: ErrorCode
    let message: String
    /// What the page was like; for navigation failures, kept on the phone only.
    let details: String?
    /// The page itself, sanitised; for navigation failures, kept on the phone only.
    let page: String?

    /// The process stopped while the request was under way.
    static let interrupted = FailureReport(
        code: .navigationFailed,
        message: "the phone's program stopped during the run; ask for the statement again", details: nil)

    /// An approval that was given up on came to the broker after that.
    static let late = FailureReport(
        code: .navigationFailed,
        message: "an approval came to the broker after the phone had given it up; ask for the statement again",
        details: nil)

    /// What a request that has failed so is told of.
    func change(owesReport: Bool = false) -> PhoneStore.Change {
        PhoneStore.Change(errorCode: code, errorMessage: message, owesReport: owesReport)
    }

    private init(code: ErrorCode, message: String, details: String?, page: String? = nil) {
        self.code = code
        self.message = message
        self.details = details
        self.page = page
    }

    init(_ error: any Error) {
        switch error {
        case let failure as RunFailure:
            let words = failure.bankWords.map { " (the bank says: \($0))" } ?? ""
            self.init(
                code: failure.code, message: ReportText.cleaned(failure.message + words),
                details: failure.code == .navigationFailed ? Redactor.redact(failure.description) + "\n" : nil,
                page: failure.code == .navigationFailed ? failure.snapshot?.sanitised().html : nil)
        case is CancellationError:
            self = .interrupted
        default:
            self.init(
                code: .navigationFailed, message: ReportText.cleaned("\(error)"), details: nil)
        }
    }
}
