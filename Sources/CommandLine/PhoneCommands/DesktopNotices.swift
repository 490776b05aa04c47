import ApprovalPage
import Foundation
import Machine
import Notifications
import Synchronization
import Terminal

/// Notices in this user's desktop session, shown by `notify-send`.
final class DesktopNotices: Sendable {
    /// The most in one hour, so that an agent cannot cover the desktop with them.
    private static let perHour = 12

    private struct State {
        var limit = NudgeLimit(perHour: DesktopNotices.perHour)
        var isUnderWay = false
        /// No session is looked for before this time, because there was none that shows a notice.
        var pauseEnd = ContinuousClock.now
    }

    private let environment: [String: String]
    private let pause: Duration
    private let state = Mutex(State())

    /// - Parameter pause: the time after which a session is looked for again.
    init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment,
        lookingAgainAfter pause: Duration = .seconds(30)
    ) {
        self.environment = environment
        self.pause = pause
    }

    /// Says that a request waits. Which one, only the page tells: others may see the screen.
    ///
    /// Says nothing without a desktop session, or without `notify-send` in `PATH`. It looks for both when a notice is due,
    /// because a service starts before its person logs in. One notice is on its way at a time, and a request that comes
    /// meanwhile gets none of its own, so an agent's requests cannot start programs without end. Returns when the program has
    /// ended.
    func tell(_ notice: RequestNotice) async {
        guard begin() else { return }
        let isShown = (try? await BlockingWork.run { [self] in show(notice) }) ?? false
        end(isShown: isShown)
    }

    private func begin() -> Bool {
        state.withLock { state in
            // A copy of the limit: only a notice that was shown counts.
            var limit = state.limit
            guard !state.isUnderWay, ContinuousClock.now >= state.pauseEnd, limit.admitWithoutDigest(at: Date()) else {
                return false
            }
            state.isUnderWay = true
            return true
        }
    }

    private func end(isShown: Bool) {
        state.withLock { state in
            state.isUnderWay = false
            if isShown {
                _ = state.limit.admitWithoutDigest(at: Date())
            } else {
                state.pauseEnd = ContinuousClock.now + pause
            }
        }
    }

    /// Returns whether the desktop took the notice. Blocks.
    private func show(_ notice: RequestNotice) -> Bool {
        guard let program = InstalledProgram.path(of: "notify-send", in: environment["PATH"] ?? ""),
            let session = Desktop.session(environment)
        else { return false }
        let command = [program, "--app-name=Countersign", notice.title, notice.text]
        return Desktop.output(of: command, session) != nil
    }
}
