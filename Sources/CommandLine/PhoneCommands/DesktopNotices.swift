import ApprovalPage
import Foundation
import Machine
import Notifications
import Synchronization
import Terminal

/// Notices in this user's desktop session, shown by `notify-send`.
final class DesktopNotices: Sendable {
    private struct State {
        var isUnderWay = false
        /// No session is looked for before this time, because there was none that shows a notice.
        var pauseEnd = ContinuousClock.now
    }

    private let environment: [String: String]
    private let pause: Duration
    /// The most of one agent in an hour, so that it cannot cover the desktop with them, and hides no other's request.
    private let limit = NudgeGate(perHour: 12, mostParties: 8)
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
    ///
    /// - Parameter agent: the name of the agent that asks; empty for the one without a name.
    func tell(_ notice: RequestNotice, from agent: String = "") async {
        guard begin(agent) else { return }
        let isShown = (try? await BlockingWork.run { [self] in show(notice) }) ?? false
        end(agent, isShown: isShown)
    }

    private func begin(_ agent: String) -> Bool {
        state.withLock { state in
            // Only a notice that was shown counts.
            guard !state.isUnderWay, ContinuousClock.now >= state.pauseEnd, limit.hasRoom(for: agent, at: Date()) else {
                return false
            }
            state.isUnderWay = true
            return true
        }
    }

    private func end(_ agent: String, isShown: Bool) {
        state.withLock { state in
            state.isUnderWay = false
            if isShown {
                _ = limit.admitWithoutDigest(from: agent, at: Date())
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
