import UnixSignals

/// Ctrl-C, or SIGTERM.
enum StopSignal {
    /// Waits for the signal.
    static func wait() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        for await _ in signals { return }
    }
}
