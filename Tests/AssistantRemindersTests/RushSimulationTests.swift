import AssistantStore
import AssistantWork
import Foundation
import Testing

@testable import AssistantReminders

/// The hardest minute: every user's meeting begins at the same time, and all reminders are due at once. Unlike in the
/// simulated days, the clock runs while the workers work, so the lateness is what users would see.
@Suite("A simulated rush", .timeLimit(.minutes(60))) struct RushSimulationTests {
    private static let settings = SimulationSettings(users: 40, hours: 1, interval: 3600)
    private static let lead = 15

    @Test("reminders that are due at once all come, each once", arguments: settings.stores)
    func rush(_ store: ReminderStage.Store) async throws {
        let start = moment("2026-10-19T08:00:00Z")
        let stage = try await ReminderStage(store, at: start)
        let meeting = start + 3600
        let due = meeting - Double(Self.lead) * 60
        for user in try await stage.users(Self.settings.users) {
            stage.calendars.meeting("m", at: meeting, of: user)
        }
        let workers = (0..<2).map { _ in stage.worker(interval: TimeInterval(Self.settings.interval)) }
        try await stage.planAll(workers[0], Self.settings.users)
        let began = (ContinuousClock.now, ProcessorTime.used)
        stage.setClock(due)
        stage.letClockRun()
        let runs = workers.map { worker in Task { try await worker.run() } }
        while stage.devices.count < Self.settings.users { try await Task.sleep(for: .milliseconds(20)) }
        let seconds = began.0.duration(to: .now) / .seconds(1)
        for run in runs {
            run.cancel()
            try? await run.value
        }
        let late = stage.devices.list.map { $0.time.timeIntervalSince(due) }.sorted()
        #expect(Set(stage.devices.list.map(\.user)).count == Self.settings.users)
        #expect(Set(stage.devices.list.map(\.notice.collapseKey)).count == Self.settings.users)
        guard Self.settings.isMeasured else { return }
        let inTime = Double(late.filter { $0 <= 60 }.count) / Double(late.count) * 100
        print(
            """
            | \(store) | \(Self.settings.users) at one moment | \(Self.settings.interval) s | \(late.count) in \
            \(Int(seconds)) s | \(Int(Double(late.count) / seconds)) | \(Int(ProcessorTime.used - began.1)) s | \
            \(ProcessorTime.memory) MB | \(Self.settings.users) | \(SimulationSettings.percent(inTime)) | 0 | \
            \(late.count - Self.settings.users) | half within \(Int(late[late.count / 2])) s, the last after \
            \(Int(late.last ?? 0)) s |
            """)
    }
}
