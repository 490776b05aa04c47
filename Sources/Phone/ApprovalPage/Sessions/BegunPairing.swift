import Encodings
import Foundation
import Secrets

/// A pairing that one browser has begun, and what has become of it.
struct BegunPairing: Sendable {
    enum Turn: Sendable {
        /// The broker has not answered yet.
        case opening
        case waiting(ShownPairing)
        /// A device has the code; its name is cleaned.
        case claimed(device: String, words: String)
        /// The owner has answered.
        case answered
        case paired(name: String)
        case ended(PairingEnd)
    }

    /// Names it, and opens nothing.
    let id = UUID()
    /// Opens the page with the code and the words, and is needed for the answer. Only the answer to the form that has begun the
    /// pairing holds it: with a cookie that was stolen, and without the passphrase, no one gets a device in.
    let token = Secret(Base64URL.encode(RandomBytes.make(32)))
    /// The sign-in that has begun it.
    let session: [UInt8]
    /// The name that the owner gives the device; nil for the name that it gives itself.
    let name: String?
    var turn = Turn.opening
    /// The pairing at the broker, while there is one.
    var pairing: (any PagePairing)?
    /// Follows the pairing until its end.
    var work: Task<Void, Never>?
    /// The reason why this page ends it, from the moment it does.
    var reason: PairingEnd?
    /// The loads of its page that were not left yet, such as two tabs.
    var views: Set<Int> = []
    /// The number of times that its page was loaded. A reload is a new view before the old one is left.
    var lastView = 0
    /// The streams of events to its page that are connected.
    var streams: Set<Int> = []
    /// The number of times that its page has connected one.
    var lastStream = 0
    /// True from the moment at which its end goes to the audit log. The page shows the end afterwards.
    var isEnding = false

    init(session: [UInt8], name: String?) { (self.session, self.name) = (session, name) }

    var isOver: Bool {
        switch turn {
        case .paired, .ended: true
        case .opening, .waiting, .claimed, .answered: false
        }
    }
}

extension PairingEnd {
    /// The end of the sentence in the audit log, which is in English.
    var record: String {
        switch self {
        case .expired: "it expired"
        case .wrongTries: "the code was wrong five times"
        case .restarted: "the broker restarted"
        case .cancelled: "it was cancelled"
        case .left: "its page was left"
        case .denied: "the words were not confirmed"
        case .failed(let words): words.isEmpty ? "it was not completed" : words
        }
    }
}
