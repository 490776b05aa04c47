import AssistantStore
import Foundation
import Testing

@testable import AssistantJobs

/// The hardest minute: every user's meeting begins at the same time, and all reminders are due at once. Unlike in the
/// simulated days, the clock runs while the workers work, so the lateness is what users would see.
@Suite("A simulated rush", .timeLimit(SimulationSettings.limit)) struct RushSimulationTests {
    private static let settings = SimulationSettings(users: 40, hours: 1, interval: 3600)
    private static let lead = 15
    /// The workers that die in a measured rush.
    private static let deaths = 4

    @Test("reminders that are due at once all come, each once", arguments: settings.stores)
    func rush(_ store: ReminderStage.Store) async throws {
        let start = moment("2026-10-19T08:00:00Z")
        let stage = try await ReminderStage(store, at: start)
        let meeting = start + 3600
        let due = meeting - Double(Self.lead) * 60
        let users = try await stage.users(Self.settings.users)
        try await stage.planReminders(of: users, meeting: meeting, lead: Self.lead, nextLook: start + 86_400)
        try await stage.countRows()
        let devices = RecordedDevices(devices: stage.devices, database: stage.database)
        let workers = (0..<2).map { _ in
            stage.worker(interval: TimeInterval(Self.settings.interval), notices: devices)
        }
        let began = (ContinuousClock.now, ProcessorTime.used)
        stage.setClock(due)
        stage.letClockRun()
        let runs = workers.map { worker in Task { try await worker.run() } }
        // A death costs a lease, which is longer than a test should take.
        let deaths = Self.settings.isMeasured ? Self.deaths : 0
        let dying = DyingWorker(stage, notices: devices)
        for number in 0..<deaths {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...2000)))
            try await dying.workAndDie(sending: number.isMultiple(of: 2))
        }
        let limit = ContinuousClock.now + .seconds(600)
        while stage.devices.usersReached < users.count, ContinuousClock.now < limit {
            try await Task.sleep(for: .milliseconds(20))
        }
        let seconds = began.0.duration(to: .now) / .seconds(1)
        // One that comes twice does so before all jobs have ended.
        while try await stage.isReminding, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(200)) }
        for run in runs {
            run.cancel()
            try? await run.value
        }
        let sent = stage.devices.list
        // One that comes again after a death has the same key, so that devices show one.
        let first = Dictionary(grouping: sent, by: \.user).mapValues { $0.map(\.time).min() ?? $0[0].time }
        let late = first.values.map { $0.timeIntervalSince(due) }.sorted()
        let keys = Set(sent.map(\.notice.collapseKey)).count
        #expect(first.count == users.count)
        #expect(keys == users.count)
        guard Self.settings.isMeasured else { return }
        let inTime = Double(late.filter { $0 <= 60 }.count) / Double(late.count) * 100
        print(
            """
            | \(store) | \(users.count) at one moment | – | \(sent.count) in \(Int(seconds)) s | \
            \(Int(Double(sent.count) / seconds)) | \(Int(ProcessorTime.used - began.1)) s | \
            \(ProcessorTime.memory) MB | \(users.count) | \(SimulationSettings.percent(inTime)) | – | – | \
            \(users.count - first.count) | \(keys - first.count) | half within \(Int(late[late.count / 2])) s, the last \
            after \(Int(late.last ?? 0)) s; \(dying.deaths) deaths |
            """)
    }
}
