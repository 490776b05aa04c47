import Foundation
import HouseholdCommands
import Notifications
import Synchronization

/// Notices of the desktop session in which the program runs, shown by `notify-send`.
final class DesktopNotices: Sendable {
    /// The most in one hour, so that an agent cannot cover the desktop with them.
    private static let perHour = 12

    private let program: String
    private let limit = Mutex(NudgeLimit(perHour: perHour))

    /// - Returns: nil without a desktop session, or without `notify-send` in `PATH`.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let programs: [String] = folders.map { "\($0)/notify-send" }
        guard Desktop.hasSession(environment), let program = programs.first(where: { access($0, X_OK) == 0 }) else {
            return nil
        }
        self.program = program
    }

    /// Says that a request waits. Which one, only the page tells: others may see the screen.
    func tellOfRequest() {
        guard limit.withLock({ $0.admitWithoutDigest(at: Date()) }) else { return }
        let sender = Process()
        sender.executableURL = URL(filePath: program)
        sender.arguments = [
            "--app-name=Countersign", "A request waits", "Open the approval page to see and decide it.",
        ]
        sender.standardInput = FileHandle.nullDevice
        sender.standardOutput = FileHandle.nullDevice
        sender.standardError = FileHandle.nullDevice
        try? sender.run()
    }
}
