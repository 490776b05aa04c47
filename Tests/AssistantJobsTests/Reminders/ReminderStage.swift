import AssistantProcesses
import AssistantStore
import Clocks
import Foundation
import Logging
import Notifications
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import AssistantJobs

/// Workers, scripted calendars, devices that remember, and a clock that the test sets.
final class ReminderStage: Sendable {
    enum Store: String, Sendable, CustomTestStringConvertible {
        case sqlite = "SQLite"
        case postgres = "PostgreSQL"

        static let all: [Store] = LoopbackPostgres.programs == nil ? [.sqlite] : [.sqlite, .postgres]
        var testDescription: String { rawValue }
    }

    let database: AssistantDatabase
    let keys: StateKeys
    let calendars = ScriptedCalendars()
    let devices = RememberingDevices()
    private let folder: TemporaryFolder
    private let time: Mutex<Date>
    /// The moment from which the clock runs; nil while it stands.
    private let running = Mutex<ContinuousClock.Instant?>(nil)
    private let users = Mutex(0)

    init(_ store: Store = .sqlite, at start: Date = moment("2026-05-04T08:00:00Z"), database url: String? = nil)
        async throws
    {
        folder = try TemporaryFolder()
        time = Mutex(start)
        var address = url ?? "sqlite:\(folder.appending("assistant.sqlite").path)"
        if url == nil, store == .postgres { address = try await LoopbackPostgres.makeDatabase() }
        database = try await AssistantDatabase.open(address)
        keys = try StateKeys(in: folder.appending("state"))
    }

    var now: Date {
        let start = running.withLock { $0 }
        return time.withLock { $0 } + (start.map { $0.duration(to: .now) / .seconds(1) } ?? 0)
    }

    /// The folder with the keys.
    var state: URL { folder.appending("state") }

    /// Lets the clock run as time passes.
    func letClockRun() { running.withLock { $0 = .now } }
    func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func setClock(_ now: Date) { time.withLock { $0 = now } }

    /// - Parameter interval: the seconds between two looks at a calendar.
    func worker(
        interval: TimeInterval = 60, notices: (any NoticeDelivering)? = nil, others: [any JobHandler] = []
    ) -> AssistantWorker {
        let notices = notices ?? devices
        return AssistantWorker(
            database: database,
            handlers: [
                CalendarSync(database: database, keys: keys, calendars: calendars, interval: interval),
                MeetingReminder(database: database, keys: keys, notices: notices, titles: NoTitles()),
            ] + others, clock: BrokerClock(wall: { [self] in now }, elapsed: { .zero }, boot: "test"),
            leasesByClock: true,
            logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns how many reminders ended so.
    func count(_ outcome: AssistantMetric.ReminderOutcome) async throws -> Int {
        let lines = try await database.metrics.text(prefix: "").split(separator: "\n")
        let name = "\(AssistantMetric.reminders(outcome).series) "
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? -1
    }

    /// Lets time pass in steps, and performs at each what is due.
    func run(_ worker: AssistantWorker, until end: Date, step: TimeInterval = 30) async throws {
        while now < end {
            _ = try await worker.performDue()
            wait(step)
        }
        _ = try await worker.performDue()
    }

    /// Makes a user with a connection.
    func user(minutes: Int = 15, zone: String = "Europe/Vienna") async throws -> UUID {
        let number = users.withLock { number in
            number += 1
            return number
        }
        let admission = try await database.users.admit(
            keys.digest("\(number)", for: "test"), .open, timeZone: zone, at: now)
        guard case .new(let id) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        if minutes != 15 { try await prefer(minutes, of: id) }
        try await database.connectors.connect(
            calendars.connector(of: id), of: id, provider: "google", scopes: ["calendar.readonly"],
            NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED", connector: "google"), at: now)
        return id
    }

    func prefer(_ minutes: Int, zone: String? = nil, of user: UUID) async throws {
        var wanted = try await database.preferences.preferences(of: user) ?? Preferences(timeZone: "UTC")
        wanted.meetingReminderMinutes = minutes
        _ = try await database.preferences.put(
            wanted, timeZone: zone, of: user, recording: NewAuditEvent("PREFERENCES_CHANGED"), at: now)
    }
}

/// Calendars that a test fills, with sync tokens as Google gives them.
final class ScriptedCalendars: CalendarReading {
    private struct State {
        var version = 0
        var events: [UUID: [String: [String: (event: CalendarEvent, version: Int)]]] = [:]
        var connectors: [UUID: UUID] = [:]
        var error: GoogleAccessError?
        var looks = 0
        var wholeLooks = 0
    }

    private let state = Mutex(State())

    var looks: Int { state.withLock { $0.looks } }
    var wholeLooks: Int { state.withLock { $0.wholeLooks } }

    func connector(of user: UUID) -> UUID {
        state.withLock { state in
            let id = state.connectors[user] ?? UUID()
            state.connectors[user] = id
            return id
        }
    }

    /// Lets each look fail until it is set to nil.
    func fail(_ error: GoogleAccessError?) { state.withLock { $0.error = error } }

    func put(_ event: CalendarEvent, in calendar: String = CalendarClient.primary, of user: UUID) {
        state.withLock { state in
            state.version += 1
            state.events[user, default: [:]][calendar, default: [:]][event.id] = (event, state.version)
        }
    }

    func meeting(
        _ id: String, at start: Date, in calendar: String = CalendarClient.primary, meetingID: String? = nil,
        of user: UUID
    ) {
        put(CalendarEvent(id: id, meetingID: meetingID, start: start, end: start + 1800), in: calendar, of: user)
    }

    /// Returns a user's meetings that begin in a part of a day.
    func meetings(of user: UUID, _ window: DateInterval) throws -> [Brief.Meeting] {
        try state.withLock { state in
            if let error = state.error { throw error }
            return (state.events[user]?[CalendarClient.primary] ?? [:]).values.compactMap { entry in
                guard let start = entry.event.start, let end = entry.event.end, window.contains(start) else {
                    return nil
                }
                return Brief.Meeting(title: "Planning", start: start, end: end)
            }
        }
    }

    func cancel(_ id: String, in calendar: String = CalendarClient.primary, of user: UUID) {
        put(CalendarEvent(id: id, start: nil, end: nil, isCancelled: true), in: calendar, of: user)
    }

    func read(
        _ memory: CalendarMemory, of userID: UUID, at now: Date
    ) async throws -> (memory: CalendarMemory, isNews: Bool, connector: UUID) {
        let (calendars, version, error) = state.withLock { state in
            state.looks += 1
            return (state.events[userID] ?? [:], state.version, state.error)
        }
        if let error { throw error }
        var memory = memory
        var isNews = false
        for (name, events) in calendars.merging([CalendarClient.primary: [:]], uniquingKeysWith: { first, _ in first })
        {
            var calendar =
                memory.calendars[name]
                ?? CalendarMemory.Calendar(
                    syncToken: nil, readWhole: .distantPast, stored: .distantPast, meetings: [:])
            let isWhole = now.timeIntervalSince(calendar.readWhole) >= CalendarMemory.wholeInterval
            let since = isWhole ? nil : calendar.syncToken.flatMap { Int($0) }
            if since == nil { state.withLock { $0.wholeLooks += 1 } }
            let changed = events.values.filter { entry in
                guard let since else {
                    // A look at everything has a window, and shows no cancelled events.
                    return !entry.event.isCancelled
                        && entry.event.start.map { $0 > now && $0 < now + CalendarMemory.horizon } ?? true
                }
                return entry.version > since
            }
            let changes = CalendarChanges(
                events: changed.map(\.event), syncToken: String(version), isFull: since == nil)
            isNews = calendar.apply(changes, at: now) || isNews
            memory.calendars[name] = calendar
        }
        return (memory, isNews, connector(of: userID))
    }
}

/// For users who want no details.
struct NoTitles: MeetingTitles {
    func title(of reminder: Reminder, _ userID: UUID, at now: Date) async -> String? { nil }
}

/// Devices that remember what they were sent, and when.
final class RememberingDevices: NoticeDelivering {
    struct Sent: Sendable {
        let notice: Notice
        let user: UUID
        let time: Date
    }

    private let sent = Mutex<[Sent]>([])
    private let reached = Mutex<Set<UUID>>([])
    private let next = Mutex<[NoticeOutcome]>([])

    var list: [Sent] { sent.withLock { $0 } }
    var count: Int { sent.withLock { $0.count } }
    var usersReached: Int { reached.withLock { $0.count } }

    /// Answers the next notices so, instead of accepting them.
    func answer(_ outcomes: NoticeOutcome...) { next.withLock { $0 += outcomes } }

    func deliver(_ notice: Notice, to userID: UUID, at now: Date) async throws -> NoticeOutcome {
        let outcome = next.withLock { $0.isEmpty ? .accepted : $0.removeFirst() }
        if outcome == .accepted {
            sent.withLock { $0.append(Sent(notice: notice, user: userID, time: now)) }
            reached.withLock { _ = $0.insert(userID) }
        }
        return outcome
    }
}

/// Returns a moment of a test's source, such as `2026-05-04T08:00:00Z`.
func moment(_ text: String) -> Date {
    guard let time = Timestamp(text) else { preconditionFailure("“\(text)” is not a moment") }
    return time.date
}
