import BankScript

/// One possible change of a script, before it is tried.
struct MendOption {
    let kind: MendChange.Kind
    /// The thing on the page that the change uses: two options for the same thing do not compete.
    let target: String
    let words: String
    let reason: String
    let score: Double
    /// Nothing but a recorded answer shows that the change is right.
    var needsConfirmation = false
    let change: (BankScript) -> BankScript
}
