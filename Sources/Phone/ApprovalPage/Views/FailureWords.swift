import BankScript
import Messages
import PhoneStore

/// The outcome of a request that failed or ended, for the person.
///
/// The message of a failed run is English, and often quotes the bank. In another language the sentence for its reason or its
/// code comes first, and the message stands below it as it is.
enum FailureWords {
    /// - Returns: nil for a request that did not fail; `message` is nil where `sentence` is the whole message.
    static func of(_ request: StoredRequest) -> (sentence: String, message: String?)? {
        switch request.status {
        case .failed:
            guard let message = request.errorMessage ?? request.errorCode else { return nil }
            return PageText.isForeign
                ? (sentence(request.errorCode.flatMap(ErrorCode.init), request.failureReason), message) : (message, nil)
        case .expired: return (PageText.of("status.no-decision"), nil)
        default: return nil
        }
    }

    static func sentence(_ code: ErrorCode?, _ reason: FailureReason?) -> String {
        if let reason { return PageText.of("failure.\(reason.rawValue)") }
        return switch code {
        case .bankLoginFailed: PageText.of("failure.login")
        case .bankSecondFactorTimeout: PageText.of("failure.second_factor")
        case .navigationFailed: PageText.of("failure.navigation")
        case .pdfDownloadFailed: PageText.of("failure.download")
        case .inboxWriteFailed: PageText.of("failure.inbox")
        case .executionTimeout: PageText.of("failure.too_long")
        case .consentEnded: PageText.of("failure.consent_ended")
        case .bankOnHold: PageText.of("failure.on_hold")
        case .credentialUnavailable: PageText.of("failure.credential_unavailable")
        case .otherDevice: PageText.of("failure.other_device")
        default: PageText.of("failure.any")
        }
    }
}
