import BankScript

// The evidence that a successful step gives of the sign-in before it. A bank answers a wrong password or code with a page as
// well, so a page alone proves nothing.

extension Action {
    /// True when the step succeeds only on a page that has what the script's author expects there, so that the bank took the
    /// code before it. The page for a refused code may have the links, buttons and fields of a page behind the sign-in.
    package var showsRightCode: Bool {
        switch self {
        case .expect, .waitUntil, .search, .download: true
        default: false
        }
    }

    /// True when the step succeeds only on another page than the login, so that the bank took the password before it.
    /// Buttons and fields to fill may be on the login page, too.
    package var showsRightPassword: Bool {
        switch self {
        case .follow, .enter, .choose: true
        default: showsRightCode
        }
    }

    /// True when the step succeeds only where the bank took the password: on another page than the login, or where it asks
    /// for the second factor.
    var confirmsSignIn: Bool {
        switch self {
        // A second page of the sign-in may ask for characters of another secret.
        case .choose(_, .credential), .choose(_, .character): false
        case .secondFactor: true
        default: showsRightPassword
        }
    }
}
