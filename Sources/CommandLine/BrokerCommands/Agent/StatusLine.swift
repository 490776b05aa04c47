import Foundation
import Messages
import Synchronization

/// The state of an open request, in words.
struct RequestProgress: Sendable {
    let status: RequestStatus
    /// The end of the time for approval; only the broker's first answer has it.
    let deadline: Date?

    func text(at now: Date) -> String {
        switch status {
        case .sent, .pendingApproval:
            guard let deadline else { return "waiting for approval on the phone" }
            let left = max(0, Int(deadline.timeIntervalSince(now).rounded(.up)))
            let seconds = left % 60 < 10 ? "0\(left % 60)" : "\(left % 60)"
            return "waiting for approval on the phone, \(left / 60):\(seconds) left"
        case .approved: return "approved; the phone is about to start"
        case .executing: return "the phone is fetching the statement"
        case .completed, .failed, .denied, .expired: return status.rawValue
        }
    }
}

/// A line on standard error that is rewritten every second; empty where that is not a terminal.
final class StatusLine: Sendable {
    private let progress = Mutex<RequestProgress?>(nil)
    private let isOnTerminal =
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    func show(_ new: RequestProgress) { progress.withLock { $0 = new } }

    /// Erases the line, so that other output can be written.
    func clear() {
        progress.withLock { progress in
            progress = nil
            write("\r\u{1B}[K")
        }
    }

    /// Writes the line until the task is cancelled.
    func run() async {
        while isOnTerminal, !Task.isCancelled {
            progress.withLock { if let text = $0?.text(at: Date()) { write("\r\u{1B}[K\(text)") } }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func write(_ text: String) {
        guard isOnTerminal else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
