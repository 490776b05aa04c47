import Foundation
import UnixSignals

/// SIGHUP, by which a service is told to read its files again.
package enum ReloadSignal {
    /// Calls `reload` at each signal until the task is cancelled.
    ///
    /// With a terminal as its input a program does nothing here: there the signal says that the terminal is gone, and ends
    /// the program.
    package static func onEach(_ reload: @Sendable () -> Void) async {
        guard isatty(STDIN_FILENO) == 0 else { return }
        for await _ in await UnixSignalsSequence(trapping: .sighup) { reload() }
    }
}
