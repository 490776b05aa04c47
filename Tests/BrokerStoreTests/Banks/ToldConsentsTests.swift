import Foundation
import GRDB
import Messages
import Synchronization
import TestParties
import Testing

@testable import BrokerStore

@Suite("The consents of which the owner is told")
struct ToldConsentsTests {
    /// The banks that were told, in order.
    private final class Told: Sendable {
        private let all = Mutex<[String]>([])
        var banks: [String] { all.withLock { $0 } }

        func add(_ bankID: String) { all.withLock { $0.append(bankID) } }
    }

    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// Returns a database whose default device has told of banks with a consent that ends tomorrow.
    private static func database(in stage: BrokerStage, banks count: Int) async throws -> BrokerDatabase {
        let database = try BrokerDatabase(stage.database)
        let consent = BankConsent(endsAt: now.addingTimeInterval(86_000), endedAt: nil, needsOwner: true)
        let banks = try (0..<count).map { number in
            try #require(OfferedBank(bankID: "bank-\(number)", name: "Bank \(number)", consent: consent))
        }
        try await database.banks.replace(BankList(banks), of: DeviceStore.defaultDeviceName)
        return database
    }

    private static func look(_ database: BrokerDatabase, _ tell: @escaping @Sendable (String) -> Bool) async throws {
        try await database.banks.tellConsents(withDefaultDevice: true, at: now) { bankID, _ in tell(bankID) }
    }

    @Test("are told once each, also when the disk is full in between")
    func fullDisk() async throws {
        let stage = try BrokerStage()
        let database = try await Self.database(in: stage, banks: BankList.most)
        func limit(toPagesMore more: Int) throws {
            try database.pool.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + more)")
            }
        }
        let told = Told()
        let tell = { @Sendable (bankID: String) in
            told.add(bankID)
            return true
        }
        // Without free pages SQLite answers as on a full disk, as soon as the rows need another page.
        try await database.pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        try limit(toPagesMore: 0)
        for _ in 0..<3 {
            let error = await #expect(throws: DatabaseError.self) { try await Self.look(database, tell) }
            #expect(error.map { BrokerDatabase.isFullDisk($0) } == true, "\(String(describing: error))")
        }
        let before = told.banks
        #expect(!before.isEmpty && before.count < BankList.most && Set(before).count == before.count)
        try limit(toPagesMore: 1000)
        for _ in 0..<2 { try await Self.look(database, tell) }
        #expect(told.banks.count == BankList.most && Set(told.banks).count == BankList.most)
    }

    @Test("count as told only when a channel took them")
    func refused() async throws {
        let stage = try BrokerStage()
        let database = try await Self.database(in: stage, banks: 3)
        let told = Told()
        try await Self.look(database) { bankID in
            told.add(bankID)
            return bankID == "bank-1"
        }
        #expect(told.banks == ["bank-0", "bank-1", "bank-2"])
        try await Self.look(database) { bankID in
            told.add(bankID)
            return true
        }
        #expect(told.banks.dropFirst(3) == ["bank-0", "bank-2"])
    }
}
