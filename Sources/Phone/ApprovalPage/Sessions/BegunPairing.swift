import Foundation

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

    let id = UUID().uuidString
    /// The sign-in that has begun it, which alone sees the code and the words.
    let session: [UInt8]
    var turn = Turn.opening
    /// The pairing at the broker, while there is one.
    var pairing: (any PagePairing)?
    /// Follows the pairing until its end.
    var work: Task<Void, Never>?
    /// The reason why this page ends it, from the moment it does.
    var reason: PairingEnd?
    /// The number of times that its page was made: a browser that leaves an older one has a newer one, as after a reload.
    var views = 0

    init(session: [UInt8]) { self.session = session }

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
