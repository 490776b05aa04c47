/// The error codes that travel between broker, phone and agent.
///
/// The specification names those of its sections 10 and 16; the routes for devices, pairing and approvals add theirs.
public enum ErrorCode: String, Sendable, Hashable, CaseIterable {
    // A run failed.
    case bankLoginFailed = "BANK_LOGIN_FAILED"
    case bankSecondFactorTimeout = "BANK_2FA_TIMEOUT"
    case navigationFailed = "NAVIGATION_FAILED"
    case pdfDownloadFailed = "PDF_DOWNLOAD_FAILED"
    case inboxWriteFailed = "ICLOUD_WRITE_FAILED"
    case executionTimeout = "EXECUTION_TIMEOUT"

    /// The owner's consent to the bank's interface has ended.
    case consentEnded = "CONSENT_ENDED"

    /// The owner's program for a credential, such as their password manager, gave none, so that the sign-in was not finished.
    case credentialUnavailable = "CREDENTIAL_UNAVAILABLE"

    // The phone does not run a request.
    case bankOnHold = "BANK_ON_HOLD"

    // A request ended without a run.
    case approvalExpired = "APPROVAL_EXPIRED"
    case deniedByUser = "DENIED_BY_USER"
    /// The agent took its request back before the person decided.
    case withdrawnByAgent = "WITHDRAWN_BY_AGENT"
    case deviceRemoved = "DEVICE_REMOVED"
    case otherDevice = "OTHER_DEVICE"

    // A delivery was rejected.
    case manifestVerificationFailed = "MANIFEST_VERIFICATION_FAILED"

    // The broker refused an approval.
    case factorMissing = "FACTOR_MISSING"
    case factorUnavailable = "FACTOR_UNAVAILABLE"
    case signatureInvalid = "SIGNATURE_INVALID"

    // The owner's policy does not allow an agent what it asked for.
    case agentNotAllowed = "AGENT_NOT_ALLOWED"

    // The broker refused a pairing.
    case pairingAttemptUnknown = "PAIRING_ATTEMPT_UNKNOWN"
    case pairingClaimed = "PAIRING_CLAIMED"
    case pairingDenied = "PAIRING_DENIED"
    case pairingNotFound = "PAIRING_NOT_FOUND"
    case pairingOver = "PAIRING_OVER"
    case pairingRefused = "PAIRING_REFUSED"
    case pairingWrongCode = "PAIRING_WRONG_CODE"

    // The broker refused an HTTP request.
    case badRequest = "BAD_REQUEST"
    case conflict = "CONFLICT"
    case internalError = "INTERNAL_ERROR"
    case invalidField = "INVALID_FIELD"
    case invalidJSON = "INVALID_JSON"
    case invalidRequestType = "INVALID_REQUEST_TYPE"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case missingField = "MISSING_FIELD"
    case notFound = "NOT_FOUND"
    case payloadTooLarge = "PAYLOAD_TOO_LARGE"
    case rateLimited = "RATE_LIMITED"
    case requestNotFound = "REQUEST_NOT_FOUND"
    case unauthorized = "UNAUTHORIZED"
    case unavailable = "UNAVAILABLE"

    /// The codes of a failed run, which a script may declare.
    public static let runFailures: [ErrorCode] = [
        .bankLoginFailed, .bankSecondFactorTimeout, .navigationFailed, .pdfDownloadFailed, .inboxWriteFailed,
        .executionTimeout, .consentEnded,
    ]

    /// The codes that a phone may report: those of a failed run, `BANK_ON_HOLD` for a run that did not begin, because the bank
    /// refused the stored credentials before, and `CREDENTIAL_UNAVAILABLE`, which is not for a script to say.
    public static let phoneReports: [ErrorCode] = runFailures + [.bankOnHold, .credentialUnavailable]
}
