import AssistantStore
import Foundation
import Notifications
import Synchronization
import Testing

@testable import AssistantJobs

/// Simulated days of users with many meetings, two workers and deaths of workers. `ASSISTANT_SIMULATION_USERS`, `…_DAYS` or
/// `…_HOURS` make it larger, `…_INTERVAL` sets the seconds between two looks at a calendar, `…_STORE` selects a database; the
/// figures are printed then (`make simulate`).
@Suite("Simulated days", .timeLimit(SimulationSettings.limit)) struct WeekSimulationTests {
    private static let settings = SimulationSettings(users: 3, hours: 14, interval: 300)
    /// A user changes so many meetings a day.
    private static let changes = 2.0
    private static let leads = [5, 10, 15, 30, 60]
    private static let step: TimeInterval = 30
    /// A change is made so long before its reminder is due that the next look sees it.
    private static var notice: TimeInterval { max(3600, TimeInterval(settings.interval)) }
    private static let zones = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney"]

    @Test("every reminder comes within a minute, none twice, though workers die", arguments: settings.stores)
    func days(_ store: ReminderStage.Store) async throws {
        // A part of a day begins before the morning of the first zone.
        let start = moment(Self.settings.hours < 12 ? "2026-10-19T05:30:00Z" : "2026-10-19T00:00:00Z")
        let stage = try await ReminderStage(store, at: start)
        var random = SeededGenerator(seed: 20_261_019)
        var diaries: [Diary] = []
        let users = try await stage.users(Self.settings.users, leads: Self.leads, zones: Self.zones)
        for (number, user) in users.enumerated() {
            let lead = Self.leads[number % Self.leads.count]
            diaries.append(Diary(user, lead: lead, hours: Self.settings.hours, start, &random))
            for (id, time) in diaries[number].meetings { stage.calendars.meeting(id, at: time, of: user) }
        }
        let devices = RecordedDevices(devices: stage.devices, database: stage.database)
        let briefs = MorningBriefHandler(
            database: stage.database, keys: stage.keys, sources: ScriptedBriefs(calendars: stage.calendars),
            notices: devices)
        let workers = (0..<2).map { _ in
            stage.worker(interval: TimeInterval(Self.settings.interval), notices: devices, others: [briefs])
        }
        let dying = DyingWorker(stage, notices: devices, briefs: briefs)
        // The first look at every calendar.
        _ = try await workers[0].performDue()
        try await stage.countRows()
        let began = (ContinuousClock.now, ProcessorTime.used)
        var jobs = 0
        let end = start + Double(Self.settings.hours) * 3600
        let changes = Double(users.count) * Self.changes * Self.step / 86_400
        while stage.now < end {
            // Google is away for three hours each day. No calendar changes then, nor where the look after the change could fall
            // into that time.
            let hour = Int(stage.now.timeIntervalSince(start)) / 3600 % 24
            stage.calendars.fail((9..<12).contains(hour) ? .later(after: nil, reason: "GOOGLE_UNAVAILABLE") : nil)
            // The whole changes of a step, and one more as often as the rest says.
            let count =
                Int(changes) + (Double.random(in: 0..<1, using: &random) < changes - changes.rounded(.down) ? 1 : 0)
            let lastChange = 9 - Int((Self.notice / 3600).rounded(.up))
            for _ in 0..<((lastChange..<13).contains(hour) ? 0 : count) {
                diaries[Int.random(in: 0..<diaries.count, using: &random)].change(stage, notice: Self.notice, &random)
            }
            // A part of a day needs more deaths to have one at all.
            if Int.random(in: 0..<(Self.settings.hours < 12 ? 6 : 60), using: &random) == 0 {
                try await dying.workAndDie(sending: Bool.random(using: &random))
            }
            // All users are looked through as often as a worker that runs does it.
            let isPlanning = Int(stage.now.timeIntervalSince(start)) % 600 == 0
            jobs += try await workers[Int.random(in: 0..<2, using: &random)].performDue(planning: isPlanning)
            stage.wait(Self.step)
        }
        try await stage.run(workers[0], until: end + 60, step: Self.step)

        // A reminder that is due at the end itself has been sent.
        let verdict = NoticeVerdict.reminders(diaries, stage.devices.list, until: end + 1)
        #expect(verdict.expected >= users.count * Self.settings.hours / 7)
        #expect(verdict.lost == [])
        #expect(verdict.unexpected == [])
        #expect(verdict.shownTwice == [])
        // Without a death, the step and the look are within 60 s; after one, the lease comes first.
        #expect(verdict.shareInTime >= 0.995, "\(verdict.latencies.suffix(5))")
        let mornings = NoticeVerdict.briefs(users, zones: Self.zones, stage.devices.list, from: start, until: end)
        #expect(mornings.expected > 0)
        #expect(mornings.lost == [])
        #expect(mornings.unexpected == [])
        #expect(mornings.shownTwice == [])
        #expect(mornings.shareInTime >= 0.995, "\(mornings.latencies.suffix(5))")
        #expect(dying.deaths > 0)
        let counts = try await stage.database.jobs.counts()
        #expect(counts["MEETING_REMINDER"]?["FAILED"] == nil && counts["MORNING_BRIEF"]?["FAILED"] == nil)
        guard Self.settings.isMeasured else { return }
        let seconds = began.0.duration(to: .now) / .seconds(1)
        print(
            """
            | \(store) | \(users.count) × \(Self.settings.hours) h | \(Self.settings.interval) s | \(jobs) in \
            \(Int(seconds)) s | \(Int(Double(jobs) / seconds)) | \(Int(ProcessorTime.used - began.1)) s | \
            \(ProcessorTime.memory) MB | \(verdict.expected) | \(SimulationSettings.percent(verdict.shareInTime * 100)) | \
            \(mornings.expected) | \(SimulationSettings.percent(mornings.shareInTime * 100)) | \
            \(verdict.lost.count + mornings.lost.count) | \(verdict.shownTwice.count + mornings.shownTwice.count) | \
            \(dying.deaths) deaths; \(verdict.repeated) notices came \
            again with the same key |
            """)
    }
}

/// A user's meetings, which change now and then.
private struct Diary {
    let user: UUID
    let lead: Int
    private(set) var meetings: [String: Date] = [:]

    init(_ user: UUID, lead: Int, hours: Int, _ start: Date, _ random: inout SeededGenerator) {
        self.user = user
        self.lead = lead
        var taken: Set<Int> = []
        // Distinct quarters of hours tell the notices apart. The first leaves time for the longest warning.
        let days =
            hours < 12
            ? [(count: hours, quarters: 5..<hours * 4 + 5)]
            : (0..<(hours + 23) / 24).map { (count: 6, quarters: $0 * 96 + 8..<$0 * 96 + 90) }
        for (day, plan) in days.enumerated() {
            for number in 0..<plan.count {
                let quarter = Int.random(in: plan.quarters, using: &random)
                guard taken.insert(quarter).inserted else { continue }
                meetings["\(day)-\(number)"] = start + Double(quarter) * 900
            }
        }
    }

    func due(_ start: Date) -> Date { start - Double(lead) * 60 }

    /// Moves or cancels a meeting that is far enough away.
    mutating func change(_ stage: ReminderStage, notice: TimeInterval, _ random: inout SeededGenerator) {
        let soon = stage.now + notice
        let open = meetings.filter { due($0.value) > soon }.keys.sorted()
        guard let id = open.randomElement(using: &random), let old = meetings[id] else { return }
        let moved = old + 900 * Double(Int.random(in: 1...7, using: &random)) + 60
        if Int.random(in: 0..<3, using: &random) == 0 || meetings.values.contains(moved) {
            meetings[id] = nil
            stage.calendars.cancel(id, of: user)
        } else {
            meetings[id] = moved
            stage.calendars.meeting(id, at: moved, of: user)
        }
    }
}

extension NoticeVerdict {
    private struct ReminderKey: Hashable {
        let user: UUID
        /// The moment at which its notice expires, another one for each meeting.
        let expires: Date
    }

    /// Judges the reminders of meetings.
    fileprivate static func reminders(
        _ diaries: [Diary], _ sent: [RememberingDevices.Sent], until end: Date
    ) -> NoticeVerdict {
        var due: [ReminderKey: Date] = [:]
        for diary in diaries {
            for meeting in diary.meetings.values where diary.due(meeting) < end {
                let expires = max(meeting, diary.due(meeting) + MeetingReminder.grace)
                due[ReminderKey(user: diary.user, expires: expires)] = diary.due(meeting)
            }
        }
        let reminders = sent.filter { $0.notice.kind == .meetingReminder }
        return NoticeVerdict(
            due: due, shown: Dictionary(grouping: reminders) { ReminderKey(user: $0.user, expires: $0.notice.expires) })
    }
}

/// Repeatable random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
