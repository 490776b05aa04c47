import BrokerStore
import Clocks
import Foundation
import GRDB
import Messages
import Synchronization
import TestParties
import TestSupport
import Testing

@testable import Broker

@Suite("The broker's schedules")
struct SchedulerTests {
    /// A broker's database whose time the test sets.
    private final class Calendar: Sendable {
        private let folder: TemporaryFolder
        private let time: Mutex<Date>
        let announced = Mutex<[DocumentOffer]>([])

        init(_ start: String) throws {
            folder = try TemporaryFolder()
            time = Mutex(try #require(Timestamp(start)).date)
        }

        var clock: BrokerClock { BrokerClock(wall: { self.time.withLock { $0 } }) }

        func set(_ text: String) throws {
            let date = try #require(Timestamp(text)).date
            time.withLock { $0 = date }
        }

        /// Opens the database anew, as a broker does that starts.
        func started<Answer>(_ body: (BrokerDatabase, Scheduler) async throws -> Answer) async throws -> Answer {
            let database = try BrokerDatabase(folder.appending("broker.sqlite"), clock: clock)
            defer { database.close() }
            let scheduler = Scheduler(
                schedules: database.schedules, offers: database.offers, requests: database.requests,
                banks: database.banks, life: .seconds(90 * 86_400), clock: clock, logger: LogRecords().logger,
                announce: { offer in self.announced.withLock { $0.append(offer) } })
            return try await body(database, scheduler)
        }

        /// Changes the database as no command does.
        func execute(_ sql: String) throws {
            try DatabaseQueue(path: folder.appending("broker.sqlite").path).write { try $0.execute(sql: sql) }
        }

        func place(_ name: String) -> String { folder.appending(name).path }

        func file(_ name: String) throws -> String {
            try Data("%PDF-1.4".utf8).write(to: folder.appending(name))
            return place(name)
        }

        /// Stores a request for a statement of the bank `plain` that was completed with this file.
        func complete(_ month: MonthYear, at path: String) throws {
            let parameters = RequestSubject.statement(month).parameters.compactText()
            let id = RequestID().description
            try DatabaseQueue(path: folder.appending("broker.sqlite").path).write { db in
                try db.execute(
                    sql: """
                        INSERT INTO pending_requests (id, status, request_type, parameters_json, nonce,
                            signed_envelope_json, created_at, updated_at, approval_expires_at, result_file_path, agent)
                        VALUES (?1, 'COMPLETED', 'statement', ?2, ?1, '{"bank_id":"plain"}', '2026-05-01',
                            '2026-05-01', '2026-05-01', ?3, 'default')
                        """, arguments: [id, parameters, path])
            }
        }

        func offers(_ database: BrokerDatabase) async throws -> [DocumentOffer] {
            try await database.offers.offers(of: .standard)
        }
    }

    @Test("make an offer of the last month when their time has come, once, and tell the owner once")
    func due() async throws {
        let calendar = try Calendar("2026-11-25T12:00:00Z")
        try await calendar.started { database, scheduler in
            let schedule = try await database.schedules.add(
                bankID: "default", try Recurrence("monthly 3 08:00 Europe/Berlin"), kinds: [.pdf, .csv])
            #expect(Timestamp(schedule.next(after: database.clock.now)).description == "2026-12-03T07:00:00.000Z")
            try await scheduler.look()
            try calendar.set("2026-12-03T06:59:59Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).isEmpty)
            try calendar.set("2026-12-03T07:00:00Z")
            for _ in 0..<3 { try await scheduler.look() }
            let offers = try await calendar.offers(database)
            #expect(offers.map(\.words) == ["2026-11, csv and pdf"])
            #expect(offers.first?.isScheduled == true && offers.first?.bankID == "default")
            #expect(offers.first?.expiresAt.description == "2027-03-03T07:00:00.000Z")
            #expect(calendar.announced.withLock { $0 }.map(\.id) == offers.map(\.id))
            let types = try await database.audit.records().map(\.event.type)
            #expect(types == ["schedule.added", "offer.made"])
        }
    }

    @Test("that were missed while the broker did not run make one offer of all their months at the next start")
    func missed() async throws {
        let calendar = try Calendar("2026-05-20T12:00:00Z")
        try await calendar.started { database, scheduler in
            _ = try await database.schedules.add(bankID: "default", try Recurrence("monthly 3 08:00 Europe/Berlin"))
            try await scheduler.look()
        }
        try calendar.set("2026-09-10T12:00:00Z")
        for _ in 0..<2 {
            try await calendar.started { database, scheduler in
                try await scheduler.look()
                try await scheduler.look()
                #expect(try await calendar.offers(database).map(\.words) == ["2026-05 to 2026-08, pdf"])
            }
        }
        #expect(calendar.announced.withLock { $0 }.count == 1)
    }

    @Test("of a bank that gives one statement in a visit make an offer for each month that was missed")
    func missedStatements() async throws {
        let calendar = try Calendar("2026-05-20T12:00:00Z")
        try await calendar.started { database, scheduler in
            let plain = try #require(OfferedBank(bankID: "plain", name: "Plain Bank"))
            try await database.banks.replace(BankList([plain]), of: "default")
            _ = try await database.schedules.add(bankID: "plain", try Recurrence("monthly 3 08:00 UTC"))
            try calendar.set("2026-09-10T12:00:00Z")
            for _ in 0..<6 { try await scheduler.look() }
            let offers = try await calendar.offers(database)
            #expect(offers.map(\.words).sorted() == ["2026-05, pdf", "2026-06, pdf", "2026-07, pdf", "2026-08, pdf"])
            #expect(offers.allSatisfy { $0.from == $0.to }, "each can be opened")
        }
    }

    @Test("without kinds offer what a bank without PDF has")
    func usualKind() async throws {
        let calendar = try Calendar("2026-05-20T12:00:00Z")
        try await calendar.started { database, scheduler in
            let tables = try #require(
                OfferedBank(bankID: "tables", name: "Tables", offersDocuments: true, kinds: [.csv, .camt]))
            try await database.banks.replace(BankList([tables]), of: "default")
            let schedule = try await database.schedules.add(bankID: "tables", try Recurrence("monthly 3 08:00 UTC"))
            #expect(schedule.kinds == [.camt])
            try calendar.set("2026-06-10T12:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).map(\.words) == ["2026-05, camt"])
        }
    }

    @Test("of a bank that gives one statement in a visit offer no statement whose file is there")
    func statementIsThere() async throws {
        let calendar = try Calendar("2026-05-20T12:00:00Z")
        try await calendar.started { database, scheduler in
            let plain = try #require(OfferedBank(bankID: "plain", name: "Plain Bank"))
            try await database.banks.replace(BankList([plain]), of: "default")
            _ = try await database.schedules.add(bankID: "plain", try Recurrence("monthly 3 08:00 UTC"))
            let (here, gone) = (try #require(MonthYear("2026-05")), try #require(MonthYear("2026-06")))
            try calendar.complete(here, at: calendar.file("here.pdf"))
            try calendar.complete(gone, at: calendar.place("gone.pdf"))
            try calendar.set("2026-08-10T12:00:00Z")
            for _ in 0..<6 { try await scheduler.look() }
            let offers = try await calendar.offers(database)
            #expect(offers.map(\.words).sorted() == ["2026-06, pdf", "2026-07, pdf"], "the file of June is gone")
        }
    }

    @Test("that cannot be read stop no other one, are named, and can be removed")
    func unreadable() async throws {
        let calendar = try Calendar("2026-11-25T12:00:00Z")
        try await calendar.started { database, scheduler in
            let bad = try await database.schedules.add(bankID: "default", try Recurrence("monthly 3 08:00 UTC"))
            let good = try await database.schedules.add(
                bankID: "default", try Recurrence("monthly 4 08:00 UTC"), kinds: [.csv])
            try calendar.execute(
                "UPDATE schedules SET recurrence = 'monthly 3 08:00 Mars/Olympus' WHERE id = '\(bad.id)'")
            #expect(try await database.schedules.schedules() == [good])
            #expect(try await database.schedules.unreadable() == [bad.id])
            try calendar.set("2026-12-04T08:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).map(\.words) == ["2026-11, csv"])
            #expect(try await database.schedules.remove(String(bad.id.prefix(6))) == bad.id)
            #expect(try await database.schedules.unreadable().isEmpty)
            let removed = try await database.audit.records().last { $0.event.type == "schedule.removed" }
            #expect(removed?.event.details["recurrence"] == "monthly 3 08:00 Mars/Olympus")
            for kinds in ["gone", "csv,gone"] {
                try calendar.execute("UPDATE schedules SET kinds = '\(kinds)' WHERE id = '\(good.id)'")
                #expect(try await database.schedules.unreadable() == [good.id], "a kind whose plug-in is gone")
                try await scheduler.look()
            }
        }
    }

    @Test("cannot be spread over two phones: no phone could open their offers")
    func twoPhones() async throws {
        let calendar = try Calendar("2026-12-01T00:00:00Z")
        try await calendar.started { database, _ in
            let (joint, own) = (try #require(AccountAlias("Joint")), try #require(AccountAlias("Own")))
            func bank(_ kinds: [DocumentKind], _ accounts: [AccountAlias]) throws -> OfferedBank {
                try #require(
                    OfferedBank(
                        bankID: "north", name: "North", offersDocuments: true, kinds: kinds, accounts: accounts))
            }
            try await database.banks.replace(BankList([try bank([.pdf, .csv], [joint, own])]), of: "default")
            let monthly = try Recurrence("monthly 3 08:00 UTC")
            _ = try await database.schedules.add(bankID: "north", monthly, accounts: [joint, own])
            try await database.banks.replace(BankList([try bank([.pdf], [joint])]), of: "default")
            await #expect(throws: ScheduleError.self) {
                _ = try await database.schedules.add(bankID: "north", monthly, accounts: [joint, own])
            }
        }
    }

    @Test("that were missed for ten years offer as many months as one request can have")
    func missedForLong() async throws {
        let calendar = try Calendar("2016-05-20T12:00:00Z")
        try await calendar.started { database, scheduler in
            _ = try await database.schedules.add(
                bankID: "default", try Recurrence("monthly 3 08:00 UTC"), kinds: [.pdf, .csv, .camt])
            try calendar.set("2026-09-10T12:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).map(\.words) == ["2023-05 to 2026-08, camt and csv and pdf"])
        }
    }

    @Test(
        "offer the months between two moments",
        arguments: [
            ("weekly friday 08:00 UTC", "2026-12-04T08:00:00Z", nil, "2026-11, pdf"),
            ("quarterly 3 08:00 UTC", "2027-01-03T08:00:00Z", nil, "2026-10 to 2026-12, pdf"),
            ("yearly 02-15 08:00 UTC", "2027-02-15T08:00:00Z", nil, "2026-02 to 2027-01, pdf"),
            ("monthly 3 08:00 UTC", "2026-12-03T08:00:00Z", 6, "2026-06 to 2026-11, pdf"),
            // The month is that of the schedule's own zone.
            ("monthly 1 00:30 Pacific/Kiritimati", "2026-11-30T10:30:00Z", nil, "2026-11, pdf"),
        ] as [(String, String, Int?, String)])
    func months(recurrence: String, at moment: String, months: Int?, expected: String) async throws {
        let calendar = try Calendar("2026-11-30T00:00:00Z")
        try await calendar.started { database, scheduler in
            _ = try await database.schedules.add(bankID: "default", try Recurrence(recurrence), months: months)
            try calendar.set(moment)
            try await scheduler.look()
            #expect(try await calendar.offers(database).map(\.words) == [expected])
        }
    }

    @Test("do not offer again what waits already, also when the clock went back")
    func again() async throws {
        let calendar = try Calendar("2026-12-01T00:00:00Z")
        try await calendar.started { database, scheduler in
            let weekly = try await database.schedules.add(bankID: "default", try Recurrence("weekly friday 08:00 UTC"))
            for day in ["04", "11", "18"] {
                try calendar.set("2026-12-\(day)T08:00:00Z")
                try await scheduler.look()
            }
            #expect(try await calendar.offers(database).count == 1)
            try calendar.set("2026-12-10T00:00:00Z")
            try await scheduler.look()
            try calendar.set("2026-12-11T08:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).count == 1)
            try await database.schedules.remove(String(weekly.id.prefix(4)))
            try calendar.set("2027-02-01T00:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).count == 1, "a removed schedule offers nothing")
        }
    }

    @Test("expire their offers after 90 days")
    func expires() async throws {
        let calendar = try Calendar("2026-12-01T00:00:00Z")
        try await calendar.started { database, scheduler in
            let schedule = try await database.schedules.add(bankID: "default", try Recurrence("monthly 3 08:00 UTC"))
            try calendar.set("2026-12-03T08:00:00Z")
            try await scheduler.look()
            try await database.schedules.remove(schedule.id)
            try calendar.set("2027-03-03T07:59:59Z")
            try await scheduler.look()
            #expect(try await database.offers.waiting(at: calendar.clock.now).count == 1)
            try calendar.set("2027-03-03T08:00:00Z")
            try await scheduler.look()
            #expect(try await calendar.offers(database).map(\.status) == [.expired])
            #expect(try await database.offers.waiting(at: calendar.clock.now).isEmpty)
            #expect(try await database.audit.records().last?.event.type == "offer.expired")
        }
    }

    @Test("cannot ask for what no phone has, or for more than a request can have")
    func refused() async throws {
        let calendar = try Calendar("2026-12-01T00:00:00Z")
        try await calendar.started { database, _ in
            let savings = try #require(AccountAlias("Savings"))
            let bank = try #require(
                OfferedBank(
                    bankID: "north", name: "North", offersDocuments: true, kinds: [.pdf, .csv], accounts: [savings]))
            let plain = try #require(OfferedBank(bankID: "south", name: "South"))
            try await database.banks.replace(BankList([bank, plain]), of: "default")
            let store = database.schedules
            let monthly = try Recurrence("monthly 3 08:00 UTC")
            func message<Value>(_ add: () async throws -> Value) async -> String {
                do {
                    _ = try await add()
                    return "added"
                } catch {
                    return "\(error)"
                }
            }
            #expect(await message { try await store.add(bankID: "west", monthly) }.contains("north, south"))
            #expect(await message { try await store.add(bankID: "No Bank", monthly) }.contains("countersign banks"))
            #expect(
                await message { try await store.add(bankID: "north", monthly, kinds: [.ofx]) }.contains("csv, pdf"))
            let giro = try #require(AccountAlias("Giro"))
            #expect(
                await message { try await store.add(bankID: "north", monthly, accounts: [giro]) }.contains("Savings"))
            #expect(
                await message { try await store.add(bankID: "south", monthly, months: 2) }
                    .contains("one statement in a visit"))
            #expect(
                await message { try await store.add(bankID: "north", monthly, months: 25) }.contains("1 to 24 months"))
            let kinds: [DocumentKind] = [.pdf, .csv, .ofx, .camt, .qif, .xlsx]
            #expect(
                await message { try await store.add(bankID: "north", monthly, kinds: kinds, months: 24) }
                    .contains("at most 120"))
            let books = try #require(AgentName("books"))
            #expect(await message { try await store.add(bankID: "north", monthly, agent: books) }.contains("default"))
            #expect(await message { try await store.remove("0000") }.contains("the broker has none"))
            #expect(try await store.schedules().isEmpty)
            let added = try await store.add(bankID: "north", monthly, kinds: [.csv], accounts: [savings])
            #expect(try await store.schedules() == [added])
        }
    }
}
