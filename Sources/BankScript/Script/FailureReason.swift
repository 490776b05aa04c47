/// The reason behind an error code, more specific than the code itself.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    case wrongCredentials = "wrong_credentials"
    case wrongCode = "wrong_code"
    /// The run has sent a credential or a code as often as it may.
    case attemptsUsed = "attempts_used"
    case passwordChangeRequired = "password_change_required"
    case termsToAccept = "terms_to_accept"
    case accountLocked = "account_locked"
    case extraIdentification = "extra_identification"
    case maintenance = "maintenance"
    case sessionExpired = "session_expired"
    case statementMissing = "statement_missing"
    case layoutChanged = "layout_changed"
    case javascriptRequired = "javascript_required"
    case foreignOrigin = "foreign_origin"
    /// The bank's secure page links to plain HTTP.
    case insecureContent = "insecure_content"
    /// The bank's server has a public key that the script does not pin.
    case keyMismatch = "key_mismatch"
    case serverError = "server_error"
    case networkFailed = "network_failed"
    case notAPDF = "not_a_pdf"
    case tooLarge = "too_large"
    case timeout = "timeout"
    case credentialMissing = "credential_missing"
    case noAnswer = "no_answer"
    case cancelled = "cancelled"
}
