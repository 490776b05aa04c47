import Foundation

/// The withdrawal of a question while a person types the answer.
///
/// A thread that waits in `read` cannot be stopped, and would take the line that answers the next question. A thread that waits
/// here stops when the question is withdrawn.
package final class Withdrawal: Sendable {
    private let reading, writing: Int32

    /// - Throws: ``CommandFailure`` when the program has too many open files.
    package init() throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CommandFailure("too many files are open; nothing can be asked") }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Withdraws the question, from any thread.
    package func withdraw() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    /// Waits until a line is typed. A withdrawal discards the part of the answer that was typed already.
    ///
    /// - Returns: false when the question was withdrawn.
    func waitForLine() -> Bool { waitForLine(within: nil) ?? true }

    /// Waits until a line is typed, or for a time.
    ///
    /// - Returns: false when the question was withdrawn; nil when the time has passed.
    func waitForLine(within time: Duration?) -> Bool? {
        var watched = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&watched, nfds_t(watched.count), time.map { Int32($0 / .milliseconds(1)) } ?? -1)
            if count == 0, time != nil { return nil }
            if count < 0, errno == EINTR { continue }
            // Whatever keeps poll from waiting, reading the line will say it.
            guard count > 0, watched[1].revents != 0 else { return true }
            tcflush(STDIN_FILENO, TCIFLUSH)
            return false
        }
    }
}
