/// The reason behind an error code, more specific than the code itself.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    case wrongCredentials = "wrong_credentials"
    /// A credential was sent, and no page behind the sign-in was seen: the bank may have refused it.
    case signInNotConfirmed = "sign_in_not_confirmed"
    /// The bank, or a firewall before it, turned this program away: it takes it for a robot, or for one that asks too often.
    case refusedByBank = "refused_by_bank"
    case wrongCode = "wrong_code"
    /// The code was right once, or came too late.
    case codeExpired = "code_expired"
    /// The bank takes no more codes for now.
    case tooManyCodes = "too_many_codes"
    /// The person refused the approval in the bank's app, or stopped it.
    case approvalCancelled = "approval_cancelled"
    /// The run has sent a credential or a code as often as it may.
    case attemptsUsed = "attempts_used"
    case passwordChangeRequired = "password_change_required"
    case termsToAccept = "terms_to_accept"
    case accountLocked = "account_locked"
    case extraIdentification = "extra_identification"
    case maintenance = "maintenance"
    /// The owner's consent to the bank's interface has ended, or was taken back.
    case consentEnded = "consent_ended"
    case sessionExpired = "session_expired"
    case statementMissing = "statement_missing"
    /// The search ended at the script's own limit, and the bank has more pages.
    case searchLimit = "search_limit"
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

extension FailureReason {
    /// Other words that people try for a reason.
    private static let synonyms: [String: FailureReason] = [
        "wrong_tan": .wrongCode, "invalid_tan": .wrongCode, "wrong_otp": .wrongCode, "invalid_code": .wrongCode,
        "tan_expired": .codeExpired, "expired": .codeExpired, "expired_code": .codeExpired,
        "too_many_tans": .tooManyCodes, "too_many_attempts": .tooManyCodes, "tan_locked": .tooManyCodes,
        "declined": .approvalCancelled, "rejected": .approvalCancelled, "push_cancelled": .approvalCancelled,
        "wrong_pin": .wrongCredentials, "wrong_password": .wrongCredentials, "invalid_credentials": .wrongCredentials,
        "locked": .accountLocked, "blocked": .accountLocked, "not_found": .statementMissing,
        "no_statement": .statementMissing,
    ]

    /// Returns the reason that a word usually means; nil when no reason is known for it.
    init?(meantBy word: String) {
        guard let reason = Self.synonyms[word.lowercased()] else { return nil }
        self = reason
    }
}
