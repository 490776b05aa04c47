import Clocks
import Encodings
import Foundation
import GRDB
import Messages
import Storage

/// The owner's schedules. The public methods are what the owner does to them; they take effect at the broker's next look.
package struct ScheduleStore: Sendable {
    let database: BrokerDatabase

    /// The most schedules of one broker.
    package static let most = 50

    static let tables = """
        CREATE TABLE schedules (
            id TEXT PRIMARY KEY NOT NULL,
            bank_id TEXT NOT NULL,
            recurrence TEXT NOT NULL,
            -- Comma-separated kinds; aliases of accounts as a JSON array.
            kinds TEXT NOT NULL,
            accounts TEXT NOT NULL,
            months INTEGER NOT NULL,
            agent TEXT NOT NULL,
            created_at TEXT NOT NULL,
            handled_until TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Returns the schedules, the oldest first. One that cannot be read is left out: see ``unreadable()``.
    package func schedules() async throws -> [Schedule] {
        try await database.read { db in try Self.rows(in: db).compactMap(Self.schedule) }
    }

    /// Returns the ids of the schedules that this version cannot read, e.g. because the system no longer knows their time
    /// zone. They make no offers, and can be removed.
    package func unreadable() async throws -> [String] {
        try await database.read { db in try Self.rows(in: db).filter { Self.schedule($0) == nil }.map { $0["id"] } }
    }

    private static func rows(in db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT * FROM schedules ORDER BY created_at, id")
    }

    /// Adds a schedule. Its first moment comes after now.
    ///
    /// - Parameters:
    ///   - kinds: nil for the bank's usual kind: a PDF, or what it has in its place.
    ///   - months: the months of one offer; nil for as many as lie between two moments, and for one every week.
    ///   - agent: the agent that will have the documents.
    /// - Throws: ``ScheduleError`` for a bank, kind or account that no phone has, for too many documents, for an unknown
    ///   agent, and for more than ``most`` schedules.
    package func add(
        bankID: String, _ recurrence: Recurrence, kinds: [DocumentKind]? = nil, accounts: [AccountAlias] = [],
        months: Int? = nil, agent: AgentName = .standard
    ) async throws -> Schedule {
        let months = months ?? max(1, recurrence.monthsBetween)
        guard (1...Schedule.mostMonths).contains(months) else {
            throw ScheduleError(message: "an offer has 1 to \(Schedule.mostMonths) months, not \(months)")
        }
        guard OfferedBank.isID(bankID) else {
            throw ScheduleError(
                message: "“\(bankID.inLine(limit: 64))” is not a bank's id; countersign banks lists them")
        }
        let count = months * (kinds?.count ?? 1) * max(1, accounts.count)
        guard count <= DocumentSelection.most else {
            throw ScheduleError(
                message: "an offer has at most \(DocumentSelection.most) documents, and this one would have \(count); "
                    + "make two schedules")
        }
        let now = Timestamp(database.clock.now)
        return try await database.write { db in
            let usual = try BankStore.knownBanks(in: db).list.banks.first { $0.bankID == bankID }?.usualKind
            let schedule = Schedule(
                id: String(OfferID().short), bankID: bankID, recurrence: recurrence,
                kinds: Set(kinds ?? [usual ?? .pdf]).sorted(), accounts: Set(accounts).sorted(), months: months,
                agent: agent, createdAt: now, handledUntil: now)
            try Self.check(schedule, in: db)
            try db.execute(
                sql: "INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: [
                    schedule.id, bankID, recurrence.description,
                    schedule.kinds.map(\.rawValue).joined(separator: ","),
                    JSONValue.array(schedule.accounts.map { .string($0.description) }).compactText(), months,
                    agent.description, now.description, now.description,
                ])
            try Self.record(
                .scheduleAdded, schedule.id, ofBank: bankID, recurrence.description, agent.description, at: now.date,
                in: db)
            return schedule
        }
    }

    private static func check(_ schedule: Schedule, in db: Database) throws {
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM schedules") ?? 0 < most else {
            throw ScheduleError(message: "a broker has at most \(most) schedules; remove one first")
        }
        if schedule.agent != .standard {
            let names = try String.fetchAll(db, sql: "SELECT name FROM agents ORDER BY name")
            guard names.contains(schedule.agent.description) else {
                throw ScheduleError(
                    message: "no agent is called “\(schedule.agent)”; the agents are "
                        + ([AgentName.standard.description] + names).joined(separator: ", "))
            }
        }
        let known = try BankStore.knownBanks(in: db)
        let banks = known.list.banks
        // Before a phone has told of its banks, nothing can be checked.
        guard !banks.isEmpty else { return }
        guard let bank = banks.first(where: { $0.bankID == schedule.bankID }) else {
            throw ScheduleError(
                message: "no phone has the bank “\(schedule.bankID)”; " + known.words(insteadOf: schedule.bankID))
        }
        if let kind = schedule.kinds.first(where: { !bank.kinds.contains($0) }) {
            throw ScheduleError(
                message: "“\(bank.bankID)” has no \(kind.rawValue); it has "
                    + bank.kinds.map(\.rawValue).joined(separator: ", "))
        }
        if let account = schedule.accounts.first(where: { !bank.accounts.contains($0) }) {
            let there = bank.accounts.map(\.description).joined(separator: ", ")
            throw ScheduleError(
                message: "“\(bank.bankID)” has no account “\(account)”"
                    + (there.isEmpty ? "; its first visit lists them" : "; its accounts are \(there)"))
        }
        guard bank.offersDocuments || (schedule.months == 1 && schedule.kinds == [.pdf] && schedule.accounts.isEmpty)
        else {
            throw ScheduleError(
                message: "“\(bank.bankID)” gives one statement in a visit; schedule one month, with pdf alone and no "
                    + "account")
        }
        let accounts = schedule.accounts.isEmpty ? bank.accounts : schedule.accounts
        let isOnOnePhone = known.devices.contains { device in
            guard let own = device.banks?.first(where: { $0.bankID == bank.bankID }) else { return false }
            return Set(schedule.kinds).isSubset(of: own.kinds) && Set(accounts).isSubset(of: own.accounts)
        }
        guard isOnOnePhone else {
            throw ScheduleError(
                message:
                    "no single phone has all these accounts and kinds of “\(bank.bankID)”; add a schedule for each "
                    + "phone, with --account")
        }
    }

    /// Removes a schedule. The offers that it has made stay.
    ///
    /// - Parameter id: its id, or the beginning of it.
    /// - Returns: its whole id.
    /// - Throws: ``ScheduleError`` unless exactly one schedule has it.
    @discardableResult
    package func remove(_ id: String) async throws -> String {
        let now = database.clock.now
        return try await database.write { db in
            let all = try Self.rows(in: db)
            let found = all.filter { !id.isEmpty && ($0["id"] as String).hasPrefix(id.lowercased()) }
            guard let row = found.first, found.count == 1 else {
                let ids = all.map { $0["id"] as String }.joined(separator: ", ")
                throw ScheduleError(
                    message: "\(found.isEmpty ? "no" : "more than one") schedule has the id “\(id.inLine(limit: 40))”; "
                        + (ids.isEmpty ? "the broker has none" : "the schedules are \(ids)"))
            }
            let whole = row["id"] as String
            try db.execute(sql: "DELETE FROM schedules WHERE id = ?", arguments: [whole])
            try Self.record(
                .scheduleRemoved, whole, ofBank: row["bank_id"], row["recurrence"], row["agent"], at: now, in: db)
            return whole
        }
    }

    // MARK: The broker's looks

    /// Notes that a schedule's moments up to a time have been handled, and stores the offer that they make, in one transaction.
    ///
    /// - Parameter offer: nil when the documents are there already.
    /// - Returns: the offer that was stored; nil without an offer, when the same one waits already, and when another look
    ///   was faster.
    package func handle(_ schedule: Schedule, until: Date, _ offer: DocumentOffer?) async throws -> DocumentOffer? {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE schedules SET handled_until = ? WHERE id = ? AND handled_until = ?",
                arguments: [Timestamp(until).description, schedule.id, schedule.handledUntil.description])
            guard db.changesCount == 1, let offer else { return nil }
            guard try OfferStore.same(as: offer, in: db) == nil else { return nil }
            try OfferStore.insert(offer, schedule: schedule.id, in: db)
            return offer
        }
    }

    /// Returns nil for a row that cannot be read.
    private static func schedule(_ row: Row) -> Schedule? {
        let accounts = try? JSONReader.read(Array((row["accounts"] as String).utf8)).arrayValue
        let names = (row["kinds"] as String).split(separator: ",").map(String.init)
        // Without the plug-in of a kind, a schedule makes no offer, rather than one of half of what was asked for.
        let kinds = names.compactMap(DocumentKind.init(rawValue:))
        guard !kinds.isEmpty, kinds.count == names.count,
            let recurrence = try? Recurrence(row["recurrence"] as String),
            let agent = AgentName(row["agent"] as String), let created = Timestamp(row["created_at"] as String),
            let handled = Timestamp(row["handled_until"] as String)
        else { return nil }
        return Schedule(
            id: row["id"], bankID: row["bank_id"], recurrence: recurrence,
            kinds: kinds,
            accounts: accounts?.compactMap { $0.stringValue.flatMap { AccountAlias($0) } } ?? [],
            months: row["months"], agent: agent, createdAt: created, handledUntil: handled)
    }

    private static func record(
        _ kind: AuditKind, _ id: String, ofBank bankID: String, _ recurrence: String, _ agent: String, at time: Date,
        in db: Database
    ) throws {
        try AuditLog.record(
            AuditEvent(
                kind, severity: .warning,
                details: [
                    "schedule": .string(id), "bank": .string(bankID), "recurrence": .string(recurrence),
                    "agent": .string(agent),
                ], time: time), in: db)
    }
}
