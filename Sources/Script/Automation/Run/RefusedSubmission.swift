import BankScript
import Messages

/// A bank's answer that it does not accept what was just sent: status 401 or 403 (RFC 9110, sections 15.5.2 and 15.5.4)
/// for an exchange that carried a credential or a one-time code.
///
/// A script may go on after it, and fail at a later step. The run's failure then has to say that the sign-in was refused,
/// because the next run would send the same password again.
struct RefusedSubmission: Sendable, Hashable {
    let status: Int
    let reason: FailureReason
    /// The credentials outside the request's body, such as a token in a header, in words; nil without one.
    let shown: String?

    /// - Parameters:
    ///   - shown: the credentials that accompanied the exchange outside its body.
    ///   - isSignIn: what was sent signs in. A firewall before the bank answers 403 to a right password as well.
    /// - Returns: nil for any other status, and for 403 in answer to a sign-in.
    init?(
        status: Int?, of sent: Set<SubmissionLedger.Item>, showing shown: Set<SubmissionLedger.Item> = [],
        isSignIn: Bool = false
    ) {
        guard let status, [401, 403].contains(status) else { return nil }
        if status == 403, isSignIn, shown.isEmpty, sent.contains(where: \.isCredential) { return nil }
        self.status = status
        reason = sent.union(shown).contains(where: \.isCredential) ? .wrongCredentials : .wrongCode
        self.shown = shown.isEmpty ? nil : shown.map(\.words).sorted().joined(separator: " and ")
    }

    /// Tells whether a failure may be a consequence of the refusal. A script that declares another reason knows better.
    func explains(_ failure: RunFailure) -> Bool {
        guard failure.code != .bankLoginFailed else { return false }
        if failure.isDeclared { return failure.reason == nil }
        switch failure.reason {
        case nil, .layoutChanged, .javascriptRequired, .sessionExpired, .notAPDF, .timeout, .refusedByBank: return true
        default: return false
        }
    }
}

extension RunFailure {
    mutating func follow(from refusal: RefusedSubmission) {
        if !isDeclared { code = .bankLoginFailed }
        reason = refusal.reason
        if let shown = refusal.shown {
            message =
                "the bank answered \(refusal.status) to \(shown): "
                + (refusal.status == 401
                    ? "it is wrong, has ended or was revoked; create a new one at the bank, and store it"
                    : "it was revoked, or may not read this; create a new one at the bank, with the rights that its guide lists")
                + "; \(message)"
            return
        }
        let sent = refusal.reason == .wrongCode ? "the one-time code" : "the sign-in"
        message = "the bank answered \(refusal.status) to \(sent); \(message)"
    }
}
