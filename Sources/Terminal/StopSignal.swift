import UnixSignals

/// Ctrl-C, or SIGTERM.
package enum StopSignal {
    /// Waits for the signal.
    package static func wait() async {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        for await _ in signals { return }
    }
}
