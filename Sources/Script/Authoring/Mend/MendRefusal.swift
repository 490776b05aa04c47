/// The reason why a mend proposes nothing.
package struct MendRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The old recording is not one of this script.
        case oldRecordingDiffers = "old_recording_differs"
        /// The new recording does not show the step that failed.
        case nothingToMend = "nothing_to_mend"
        case errorPage = "error_page"
        /// The bank asks for the password again: the session ended, or the credentials were refused.
        case signInAgain = "sign_in_again"
        case anotherBank = "another_bank"
        /// A form of the page goes to an origin that the script does not name.
        case foreignForm = "foreign_form"
        /// The bank leads to an origin that the script does not name.
        case foreignOrigin = "foreign_origin"
        /// The page asks for something that the person has not given before, or for a consent.
        case asksForMore = "asks_for_more"
        /// A change would send a credential to another field, form or origin.
        case credentialElsewhere = "credential_elsewhere"
        /// A change would make the script send more, or to other places.
        case widerDisclosure = "wider_disclosure"
        /// The step has nothing that a mend changes.
        case otherStep = "other_step"
        /// Nothing on the page is likely enough, or several things are.
        case unsure
    }

    package let kind: Kind
    /// Says what was seen, and what a person can do.
    package let message: String
    /// The nearest things on the page, best first, with a score from 0 to 1.
    package var candidates: [String] = []

    init(_ kind: Kind, _ message: String, candidates: [String] = []) {
        self.kind = kind
        self.message = message
        self.candidates = candidates
    }

    package var description: String {
        ([message] + (candidates.isEmpty ? [] : ["the page has:"] + candidates.map { "  - \($0)" }))
            .joined(separator: "\n")
    }
}
