import Automation
import BankScript
import Foundation
import Messages
import PhoneStore
import Secrets

/// The reason why a run ended without a statement: the specification's error code, and words that may leave the phone.
struct FailureReport: Sendable, Hashable {
    let code: ErrorCode
    let message: String
    let reason: FailureReason?
    /// A description of the page, for navigation failures. It stays on the phone.
    let details: String?
    /// The sanitised page, for navigation failures. It stays on the phone.
    let page: String?
    /// The broker has to hear of it.
    let owesReport: Bool

    /// The process stopped during the run.
    static let interrupted = FailureReport(
        code: .navigationFailed,
        message: "the phone's program stopped during the run; ask for the statement again", reason: .cancelled,
        details: nil)

    /// An approval reached the broker after this phone had given it up.
    static let late = FailureReport(
        code: .navigationFailed,
        message: "an approval reached the broker after the phone had given it up; ask for the statement again",
        reason: .cancelled, details: nil)

    /// Returns the change that records this failure.
    func change(owesReport: Bool) -> PhoneDatabase.Change {
        PhoneDatabase.Change(errorCode: code, errorMessage: message, reason: reason, owesReport: owesReport)
    }

    private init(
        code: ErrorCode, message: String, reason: FailureReason? = nil, details: String?, page: String? = nil,
        owesReport: Bool = true
    ) {
        self.owesReport = owesReport
        self.code = code
        self.message = message
        self.reason = reason
        self.details = details
        self.page = page
    }

    init(_ error: any Error) {
        switch error {
        case let failure as RunFailure:
            // A long message leaves room for the bank's words.
            let words = failure.bankWords.map { " (the bank says: \(ReportText.cleaned($0, limit: 100)))" } ?? ""
            let message = ReportText.cleaned(failure.message, limit: 300 - words.count) + words
            self.init(
                code: failure.code, message: message, reason: failure.reason,
                details: failure.code == .navigationFailed ? Redactor.redact(failure.description) + "\n" : nil,
                page: failure.code == .navigationFailed ? failure.snapshot?.sanitised() : nil)
        case let ended as RequestEnded:
            self.init(
                code: ended.refusal.brokerCode == .otherDevice ? .otherDevice : .conflict,
                message: ReportText.cleaned(ended.message), details: nil, owesReport: false)
        case is CancellationError:
            self = .interrupted
        default:
            self.init(
                code: .navigationFailed, message: ReportText.cleaned("\(error)"), details: nil)
        }
    }
}
