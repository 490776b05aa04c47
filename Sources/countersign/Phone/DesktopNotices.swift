import Files
import Foundation
import HouseholdCommands
import Notifications
import Synchronization

/// Notices in this user's desktop session, shown by `notify-send`.
final class DesktopNotices: Sendable {
    /// The most in one hour, so that an agent cannot cover the desktop with them.
    private static let perHour = 12

    private let environment: [String: String]
    private let limit = Mutex(NudgeLimit(perHour: perHour))

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    /// Says that a request waits. Which one, only the page tells: others may see the screen.
    ///
    /// Says nothing without a desktop session, or without `notify-send` in `PATH`. It looks for both each time, because a
    /// service starts before its person logs in. Returns when the program has ended.
    func tellOfRequest() async {
        try? await BlockingWork.run { [self] in tell() }
    }

    private func tell() {
        guard let program = InstalledProgram.path(of: "notify-send", in: environment["PATH"] ?? ""),
            let session = Desktop.session(environment),
            limit.withLock({ $0.admitWithoutDigest(at: Date()) })
        else { return }
        _ = Desktop.output(
            of: [
                program, "--app-name=Countersign", "A request waits", "Open the approval page to see and decide it.",
            ], session)
    }
}
