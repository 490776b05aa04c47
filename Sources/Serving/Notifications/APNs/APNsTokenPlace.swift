import Foundation
import Secrets

/// A provider token with the moment at which it was made.
package struct APNsToken: Sendable {
    package let text: Secret
    package let made: Date

    package init(text: Secret, made: Date) {
        self.text = text
        self.made = made
    }

    func isSame(as other: APNsToken) -> Bool { text.revealed() == other.text.revealed() }
}

/// The place of the one token that several processes send with. Apple refuses new tokens of a team that come more often than
/// every twenty minutes, whichever process makes them (`TooManyProviderTokenUpdates`).
package protocol APNsTokenPlace: Sendable {
    /// Returns the kept token; nil when none is kept, or the kept one cannot be read.
    func kept() async throws -> APNsToken?

    /// Keeps a token in place of the one that ``kept()`` has found last.
    ///
    /// - Returns: false when another process was first; its token counts.
    func keep(_ token: APNsToken) async throws -> Bool
}
