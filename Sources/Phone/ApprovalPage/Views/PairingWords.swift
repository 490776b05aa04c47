/// The end of a pairing, for the person.
enum PairingWords {
    static func of(_ reason: PairingEnd) -> String {
        switch reason {
        case .expired: PageText.of("pair.expired")
        case .wrongTries: PageText.of("pair.wrong-tries")
        case .restarted: PageText.of("pair.restarted")
        case .cancelled: PageText.of("pair.cancelled")
        case .left: PageText.of("pair.left")
        case .denied: PageText.of("pair.denied")
        case .failed(let words): words.isEmpty ? PageText.of("pair.failed") : RefusalWords.told(words, "pair.failed")
        }
    }
}
