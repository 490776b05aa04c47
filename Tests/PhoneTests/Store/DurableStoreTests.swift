import Foundation
import GRDB
import LoopbackPhone
import Testing

@testable import Phone

@Suite("The phone's database")
struct DurableStoreTests {
    @Test("waits for the disk at every commit")
    func synchronous() async throws {
        try await TestPhone.with { phone in
            let store = try PhoneStore(phone.home)
            let level = try await store.database.writeWithoutTransaction {
                try Int.fetchOne($0, sql: "PRAGMA synchronous")
            }
            // SQLite numbers FULL as 2.
            #expect(level == 2)
        }
    }
}
