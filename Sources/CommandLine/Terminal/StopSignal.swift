import Foundation
import UnixSignals

/// Ctrl-C, or SIGTERM.
package enum StopSignal {
    /// Waits for the signal.
    ///
    /// - Parameter endsWithTerminal: true to stop also when the terminal is closed (SIGHUP), unless the program was started
    ///   with nohup.
    package static func wait(endsWithTerminal: Bool = false) async {
        var trapped: [UnixSignal] = [.sigint, .sigterm]
        if endsWithTerminal, !ignoresHangUp { trapped.append(.sighup) }
        for await _ in await UnixSignalsSequence(trapping: trapped) { return }
    }

    private static var ignoresHangUp: Bool {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        // Functions of C cannot be compared otherwise.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
