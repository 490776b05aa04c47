/// The pauses after failed calls for the bot's updates.
struct TelegramBackoff {
    private let timing: TelegramConfiguration.Timing
    private var failures = 0

    init(_ timing: TelegramConfiguration.Timing) {
        self.timing = timing
    }

    mutating func reset() { failures = 0 }

    /// - Returns: nil when trying again is useless.
    mutating func pause(after error: TelegramError) -> Duration? {
        failures += 1
        let doubled = timing.firstPause * Double(1 << min(failures - 1, 16))
        // Random pauses keep programs that lost the network together from retrying together.
        let grown = min(doubled, timing.longestPause) * Double.random(in: 0.75...1)
        return switch error.kind {
        case .tooMany(let after): max(after, grown)
        case .conflict: max(grown, timing.conflictPause)
        case .unreachable: grown
        case .refused: nil
        }
    }
}
