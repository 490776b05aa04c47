import BankScript

/// The bank's verdict on the credentials of a run, as the run's end shows it.
package enum SignInVerdict: Sendable, Hashable {
    case accepted
    /// The bank does not accept the credentials, or not without a person.
    case refused(FailureReason?)
    /// The bank refused so many one-time codes in the run. Codes are mistyped now and then; two in a row are not.
    case wrongCode(count: Int)
}
