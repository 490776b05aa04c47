/// The reviewers of scripts whom a phone's owner trusts, and how many of them have to vouch for a script before it may be
/// accepted. On a broker it means nothing.
package struct ScriptDemand: Sendable, Hashable {
    /// The number of different reviewers; 0 to see vouches and need none.
    package var vouches: Int
    /// The reviewers' public keys as SSH writes them, by the names that the owner gives them.
    package var reviewers: [String: String]

    /// More reviewers than a person knows.
    static let mostReviewers = 100

    package init(vouches: Int, reviewers: [String: String]) {
        self.vouches = vouches
        self.reviewers = reviewers
    }
}
