/// The end of a pairing in words.
enum PairingWords {
    /// Returns the sentence of the page.
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

    /// Returns the end of the sentence in the log, which is in English.
    static func record(of reason: PairingEnd) -> String {
        switch reason {
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
