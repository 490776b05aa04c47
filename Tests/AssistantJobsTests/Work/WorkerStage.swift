import AssistantStore
import Clocks
import Foundation
import Logging
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import AssistantJobs

/// A database of a test's own, and a clock that the test sets.
final class WorkerStage: Sendable {
    enum Store: String, Sendable, CustomTestStringConvertible {
        case sqlite = "SQLite"
        case postgres = "PostgreSQL"

        static let all: [Store] = LoopbackPostgres.programs == nil ? [.sqlite] : [.sqlite, .postgres]
        var testDescription: String { rawValue }
    }

    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let database: AssistantDatabase
    private let folder: TemporaryFolder
    private let time = Mutex(WorkerStage.start)
    private let users = Mutex<UInt8>(0)

    /// - Parameter url: an empty database that is there.
    init(_ store: Store = .sqlite, database url: String? = nil) async throws {
        folder = try TemporaryFolder()
        var address = url ?? "sqlite:\(folder.appending("assistant.sqlite").path)"
        if url == nil, store == .postgres { address = try await LoopbackPostgres.makeDatabase() }
        database = try await AssistantDatabase.open(address)
    }

    var now: Date { time.withLock { $0 } }
    func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    var clock: BrokerClock { BrokerClock(wall: { [self] in now }, elapsed: { .zero }, boot: "test") }

    func worker(_ handlers: [any JobHandler], _ change: (inout WorkerLimits) -> Void = { _ in }) -> AssistantWorker {
        var limits = WorkerLimits()
        limits.look = .milliseconds(10)
        change(&limits)
        return AssistantWorker(
            database: database, handlers: handlers, limits: limits, clock: clock, leasesByClock: true,
            jitter: { 1 }, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
    }

    func user() async throws -> UUID {
        let byte = users.withLock { number in
            number += 1
            return number
        }
        let admission = try await database.users.admit(
            [UInt8](repeating: byte, count: 32), .open, timeZone: "Europe/Vienna", at: now)
        guard case .new(let id) = admission else { throw AssistantStoreError(.other, "\(admission)") }
        return id
    }

    @discardableResult
    func connect(_ user: UUID, scopes: [String] = ["calendar.readonly", "gmail.readonly"]) async throws -> UUID {
        let id = try await database.connectors.idForConnecting(user, provider: "google")
        try await database.connectors.connect(
            id, of: user, provider: "google", scopes: scopes, NewToken(sealed: [1], keyID: "mk", version: 1),
            recording: NewAuditEvent("CONNECTOR_CONNECTED", connector: "google"), at: now)
        return id
    }

    func plan(_ user: UUID, _ type: JobType = .meetingReminder, about subject: UInt8 = 1) async throws {
        _ = try await database.jobs.plan(PlannedJob(type.rawValue, about: [subject], due: now), of: user)
    }

    /// Returns the states of jobs, with how many have each.
    func states(_ type: JobType = .meetingReminder) async throws -> [String: Int] {
        try await database.jobs.counts()[type.rawValue] ?? [:]
    }

    /// Returns a user's events of one type.
    func events(_ type: String, of user: UUID) async throws -> [StoredAuditEvent] {
        try await database.audit.events(of: user, before: nil, atMost: 200).filter { $0.event.type == type }
    }
}

/// A handler that a test scripts.
struct ScriptedHandler: JobHandler {
    let type: JobType
    let planning: JobPlanning
    let body: @Sendable (LeasedJob, Date) async throws -> JobEnd

    init(
        _ type: JobType = .meetingReminder, planning: JobPlanning = .onDemand,
        _ body: @escaping @Sendable (LeasedJob, Date) async throws -> JobEnd
    ) {
        self.type = type
        self.planning = planning
        self.body = body
    }

    func perform(_ job: LeasedJob, at now: Date) async throws -> JobEnd { try await body(job, now) }
}

/// The deeds of handlers, in their order.
final class Journal<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])

    func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }
    var list: [Entry] { entries.withLock { $0 } }
}
