import Foundation
import Messages
import Secrets

/// The words about a failed run that agents get.
///
/// The phone's own words quote the bank's page, and a page can address an assistant. Agents get a sentence of the broker's,
/// and the phone's words apart, in a member that says that they are not to be trusted.
enum RunFailureWords {
    /// The most characters of a phone's words that agents get.
    private static let limit = 300

    /// Returns the broker's sentence for a code that a phone may report, with the next step.
    static func explanation(of code: ErrorCode) -> String { "\(sentence(for: code)); \(nextStep(after: code))" }

    /// Returns what has happened, for a code that a phone may report.
    static func sentence(for code: ErrorCode) -> String {
        switch code {
        case .bankLoginFailed: "the bank did not accept the sign-in"
        case .bankSecondFactorTimeout: "the second factor was not answered in time"
        case .navigationFailed: "the bank's pages did not lead to the statement"
        case .pdfDownloadFailed: "the bank did not send a whole statement"
        case .inboxWriteFailed: "the phone could not write the document to its disk or to the synced folder"
        case .executionTimeout: "the run took too long"
        case .deviceRemoved: "a device that had approved it was removed"
        case .manifestVerificationFailed: "the delivery was refused, because it could not be verified"
        case .bankOnHold: "the bank refused the sign-in before, or may have, so the phone did not try again"
        case .consentEnded: "the owner's consent to the bank's interface has ended"
        case .credentialUnavailable: "the owner's password manager gave no credential, and the sign-in was not finished"
        default: "the run failed"
        }
    }

    /// Returns what the agent or the owner can do.
    private static func nextStep(after code: ErrorCode) -> String {
        switch code {
        case .bankSecondFactorTimeout: "ask again when the owner is there"
        case .inboxWriteFailed: "the owner has to see that both are there and have room"
        case .executionTimeout: "ask again later"
        case .deviceRemoved: "ask again"
        case .manifestVerificationFailed: "ask again, and tell the owner"
        case .bankOnHold: "the owner has to store other credentials, or to confirm another try on the phone"
        case .consentEnded: "the owner has to connect the bank again"
        case .credentialUnavailable: "ask again once the owner has seen to it"
        default: "the page of the owner's phone says what to do"
        }
    }

    /// Removes secrets, control and formatting characters, folds white space, and shortens the text.
    static func cleaned(_ text: String) -> String {
        let bounded = text.count > 4 * limit ? String(text.prefix(4 * limit)) : text
        let folded = Redactor.redact(bounded)
            .replacingOccurrences(of: #"[\s\p{Cc}\p{Cf}\p{Co}]+"#, with: " ", options: .regularExpression)
            .trimmingCharacters(in: .whitespaces)
        return folded.count > limit ? folded.prefix(limit - 1) + "…" : folded
    }
}
