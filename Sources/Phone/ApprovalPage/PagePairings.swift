import Foundation
import Secrets

/// The pairings of other devices with the household's broker. The page's own process has none of the broker's secrets, so another
/// one talks with the broker.
package protocol PagePairings: Sendable {
    /// False where the broker is on another machine: its pairings begin there.
    var arePossible: Bool { get }

    /// Opens a pairing at the broker.
    ///
    /// - Parameter name: the device's future name; nil for the name that the device gives itself.
    /// - Throws: ``PairingRefusal``.
    func begin(named name: String?) async throws -> any PagePairing
}

/// A pairing that is open at the broker, until one device is paired or it ends without one.
package protocol PagePairing: Sendable {
    var shown: ShownPairing { get }
    /// The turns that it takes, in their order. Can be read once.
    var turns: AsyncStream<PairingTurn> { get }

    /// Tells the broker whether the device shows the same words.
    func answer(_ areSame: Bool) async

    /// Ends the pairing at the broker. Returns when it has no more turns to come.
    func cancel() async
}

/// The code of a pairing in its three forms: a secret of the browser that has begun it.
package struct ShownPairing: Sendable {
    /// The text of the QR code.
    package let uri: Secret
    /// The code to type, such as `17-ABCD-EFGH`.
    package let code: Secret
    /// The command for the other machine.
    package let line: Secret
    /// True when the broker is reached from this machine alone, so that only another user of it can use the code.
    package let isForThisMachine: Bool
    /// The folder through which the device's documents come; nil when it is not known.
    package let inbox: String?
    package let expiresAt: Date

    package init(
        uri: Secret, code: Secret, line: Secret, isForThisMachine: Bool = false, inbox: String? = nil, expiresAt: Date
    ) {
        self.uri = uri
        self.code = code
        self.line = line
        self.isForThisMachine = isForThisMachine
        self.inbox = inbox
        self.expiresAt = expiresAt
    }
}

package enum PairingTurn: Sendable {
    /// A device has the code.
    ///
    /// - Parameters:
    ///   - device: the name that it gives itself, in a stranger's words.
    ///   - words: the words that it has to show.
    case claimed(device: String, words: String)
    case paired(name: String)
    case ended(PairingEnd)
}

/// The reason why a pairing has ended without a device.
package enum PairingEnd: Sendable, Equatable {
    case expired
    /// The code was wrong too often.
    case wrongTries
    /// The broker was restarted.
    case restarted
    case cancelled
    /// The browser has left the page that shows the code.
    case left
    /// The words were not the same.
    case denied
    /// Any other reason, in the words of the command that talks with the broker.
    case failed(String)
}

/// The reason why no pairing was opened, in the words of the command that talks with the broker.
package struct PairingRefusal: Error {
    package let words: String

    package init(_ words: String) { self.words = words }
}
