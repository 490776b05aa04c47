import AssistantNotices
import AssistantStore
import AssistantWork
import Foundation
import Synchronization
import Testing

@testable import AssistantReminders

/// Simulated days of users with many meetings, two workers and deaths of workers. `ASSISTANT_SIMULATION_USERS` and
/// `…_DAYS` make it larger, `…_INTERVAL` sets the seconds between two looks at a calendar; the figures are printed then.
@Suite("Simulated days", .timeLimit(.minutes(60))) struct WeekSimulationTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["ASSISTANT_SIMULATION_\(name)"].flatMap { Int($0) }
    }

    private static let isMeasured = setting("USERS") != nil
    private static let users = setting("USERS") ?? 3
    private static let hours = setting("DAYS").map { $0 * 24 } ?? 14
    private static var days: Int { (hours + 23) / 24 }
    /// A user changes so many meetings a day.
    private static let changes = 2.0
    private static let interval = setting("INTERVAL") ?? 300
    private static let step: TimeInterval = 30

    @Test("every reminder comes within a minute, none twice, though workers die", arguments: ReminderStage.Store.all)
    func days(_ store: ReminderStage.Store) async throws {
        let start = moment("2026-10-19T00:00:00Z")
        let stage = try await ReminderStage(store, at: start)
        var random = SeededGenerator(seed: 20_261_019)
        var diaries: [Diary] = []
        for number in 0..<Self.users {
            let zones = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney"]
            let user = try await stage.user(
                minutes: [5, 10, 15, 30, 60][number % 5], zone: zones[number % zones.count])
            diaries.append(Diary(user, lead: [5, 10, 15, 30, 60][number % 5], days: Self.days, start, &random))
            for (id, time) in diaries[number].meetings { stage.calendars.meeting(id, at: time, of: user) }
        }
        let workers = (0..<2).map { _ in stage.worker(interval: TimeInterval(Self.interval)) }
        let dying = DyingWorker(stage)
        let began = (ContinuousClock.now, ProcessorTime.used)
        var jobs = 0
        let end = start + Double(Self.hours) * 3600
        let odds = Double(Self.users) * Self.changes * Self.step / 86_400
        while stage.now < end {
            // Google is away for three hours each day, when no calendar changes.
            let hour = Int(stage.now.timeIntervalSince(start)) / 3600 % 24
            stage.calendars.fail((9..<12).contains(hour) ? .later(after: nil, reason: "GOOGLE_UNAVAILABLE") : nil)
            if !(8..<13).contains(hour), Double.random(in: 0..<1, using: &random) < odds {
                diaries[Int.random(in: 0..<diaries.count, using: &random)].change(stage, &random)
            }
            if Int.random(in: 0..<60, using: &random) == 0 {
                try await dying.workAndDie(sending: Bool.random(using: &random))
            }
            jobs += try await workers[Int.random(in: 0..<2, using: &random)].performDue()
            stage.wait(Self.step)
        }
        try await stage.run(workers[0], until: end + 60, step: Self.step)

        let verdict = Verdict(diaries, stage.devices.list, until: end)
        #expect(verdict.expected >= Self.users * Self.days * 2)
        #expect(verdict.lost == [])
        #expect(verdict.unexpected == [])
        #expect(verdict.shownTwice == [])
        // Without a death, the step and the look are within 60 s; after one, the lease comes first.
        #expect(verdict.shareInTime >= 0.995, "\(verdict.latencies.suffix(5))")
        #expect(dying.deaths > 0)
        #expect(try await stage.database.jobs.counts()["MEETING_REMINDER"]?["FAILED"] == nil)
        guard Self.isMeasured else { return }
        let seconds = began.0.duration(to: .now) / .seconds(1)
        let counts = try await stage.database.jobs.counts()
        print(
            """
            simulated: \(store) · users \(Self.users) · days \(Self.days) · jobs \(jobs) in \(Int(seconds)) s, \
            \(Int(Double(jobs) / seconds)) a second · processor \(Int(ProcessorTime.used - began.1)) s · \
            memory \(ProcessorTime.memory) MB · reminders \(verdict.expected), within 60 s \
            \(verdict.shareInTime * 100) %, lost \(verdict.lost.count), twice \(verdict.shownTwice.count), \
            repeated with the same key \(verdict.repeated), deaths \(dying.deaths) · rows \(counts)
            """)
    }
}

/// A user's meetings, which change now and then.
private struct Diary {
    let user: UUID
    let lead: Int
    private(set) var meetings: [String: Date] = [:]

    init(_ user: UUID, lead: Int, days: Int, _ start: Date, _ random: inout SeededGenerator) {
        self.user = user
        self.lead = lead
        var taken: Set<Int> = []
        for day in 0..<days {
            for number in 0..<6 {
                // Distinct quarters of hours tell the notices apart.
                let quarter = day * 96 + Int.random(in: 8..<90, using: &random)
                guard taken.insert(quarter).inserted else { continue }
                meetings["\(day)-\(number)"] = start + Double(quarter) * 900
            }
        }
    }

    func due(_ start: Date) -> Date { start - Double(lead) * 60 }

    /// Moves or cancels a meeting that is far enough away.
    mutating func change(_ stage: ReminderStage, _ random: inout SeededGenerator) {
        let soon = stage.now + 3600
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

/// A worker that dies in the middle of its work: before it sends, or between sending and recording.
private final class DyingWorker: Sendable {
    private let stage: ReminderStage
    private let handler: MeetingReminder
    private let count = Mutex(0)

    var deaths: Int { count.withLock { $0 } }

    init(_ stage: ReminderStage) {
        self.stage = stage
        handler = MeetingReminder(
            database: stage.database, keys: stage.keys, notices: stage.devices, titles: NoTitles())
    }

    func workAndDie(sending: Bool) async throws {
        for type in [JobType.meetingReminder, .calendarSync] {
            let jobs = try await stage.database.jobs.lease(
                type.rawValue, atMost: 16, for: WorkerLimits().lease, at: stage.now)
            guard !jobs.isEmpty else { continue }
            count.withLock { $0 += 1 }
            guard sending, type == .meetingReminder else { continue }
            for job in jobs { _ = try await handler.perform(job, at: stage.now) }
        }
    }
}

/// The notices that devices showed, beside those that they should have shown.
private struct Verdict {
    private struct Key: Hashable {
        let user: UUID
        /// The moment at which its notice expires, another one for each meeting.
        let expires: Date
    }

    let expected: Int
    let lost: [String]
    let unexpected: [String]
    let shownTwice: [String]
    /// Sent again after a death, with the same key: a device shows one.
    let repeated: Int
    /// In seconds, from the due time, in their order.
    let latencies: [TimeInterval]
    var shareInTime: Double { Double(latencies.filter { $0 <= 60 }.count) / Double(max(1, latencies.count)) }

    init(_ diaries: [Diary], _ sent: [RememberingDevices.Sent], until end: Date) {
        var due: [Key: Date] = [:]
        for diary in diaries {
            for meeting in diary.meetings.values where diary.due(meeting) < end {
                let expires = max(meeting, diary.due(meeting) + MeetingReminder.grace)
                due[Key(user: diary.user, expires: expires)] = diary.due(meeting)
            }
        }
        let shown = Dictionary(grouping: sent) { Key(user: $0.user, expires: $0.notice.expires) }
        expected = due.count
        lost = due.keys.filter { shown[$0] == nil }.map { "\($0)" }
        unexpected = shown.keys.filter { due[$0] == nil }.map { "\($0)" }
        shownTwice = shown.filter { Set($0.value.map(\.notice.collapseKey)).count > 1 }.map { "\($0.key)" }
        repeated = shown.values.reduce(0) { $0 + $1.count - 1 }
        latencies = due.compactMap { key, due in
            shown[key]?.map(\.time).min()?.timeIntervalSince(due)
        }.sorted()
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

/// The processor time and the memory of this process.
private enum ProcessorTime {
    /// In seconds, of all threads.
    static var used: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The peak, in megabytes; 0 where the system does not tell it.
    static var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap { Int($0.1) }.map { $0 / 1024 } ?? 0
    }
}
