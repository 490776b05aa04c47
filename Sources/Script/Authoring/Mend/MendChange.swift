/// A change that a mend proposes for one step.
package struct MendChange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// Another name for what the step uses, beside the old one.
        case locator
        /// A page that now comes before the step's own.
        case pageBetween = "page_between"
        /// A link that leads to the page which the step's own link is on now.
        case movedLink = "moved_link"
        /// A list of choices that became links.
        case choiceAsLinks = "choice_as_links"
    }

    package let kind: Kind
    /// The step in words, as it was.
    package let step: String
    /// The change in words.
    package let words: String
    /// Why this and nothing else.
    package let reason: String
    /// From 0 to 1.
    package let score: Double
    /// The new recording has the request that the changed step makes. False where the recording ends with the step.
    package var isConfirmed: Bool
}
