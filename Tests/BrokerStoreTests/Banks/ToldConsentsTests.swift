import Foundation
import Messages
import TestParties
import Testing

@testable import BrokerStore

@Suite("The consents of which the owner is told")
struct ToldConsentsTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    private static func consent(endsIn days: Double?, endedAt: Date? = nil) -> BankConsent {
        BankConsent(endsAt: days.map { now.addingTimeInterval($0 * 86_400) }, endedAt: endedAt, needsOwner: true)
    }

    private static func replace(_ database: BrokerDatabase, _ consents: [BankConsent?]) async throws {
        let banks = try consents.enumerated().map { number, consent in
            try #require(OfferedBank(bankID: "bank-\(number)", name: "Bank \(number)", consent: consent))
        }
        try await database.banks.replace(BankList(banks), of: DeviceStore.defaultDeviceName)
    }

    private static func untold(
        _ database: BrokerDatabase, withDefaultDevice hasDefaultDevice: Bool = true, after days: Double = 0
    ) async throws -> [BankStore.UntoldConsent] {
        try await database.banks.untoldConsents(
            withDefaultDevice: hasDefaultDevice, at: now.addingTimeInterval(days * 86_400))
    }

    @Test("are those that end within a week, and count until they are marked")
    func untilMarked() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        try await Self.replace(
            database,
            [Self.consent(endsIn: 30), nil, Self.consent(endsIn: 6), Self.consent(endsIn: nil, endedAt: Self.now)])
        let due = try await Self.untold(database)
        #expect(due.map(\.bankID) == ["bank-2", "bank-3"] && due.allSatisfy { $0.device == "default" })
        #expect(try await Self.untold(database) == due, "to look is not to tell")
        try await database.banks.markTold(due[0])
        #expect(try await Self.untold(database).map(\.bankID) == ["bank-3"])
        #expect(try await Self.untold(database, withDefaultDevice: false).isEmpty, "of a phone that no longer calls")
    }

    @Test("are told anew at each stage, and when a renewed one comes near its end")
    func stages() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        try await Self.replace(database, [Self.consent(endsIn: 6)])
        for days in [0, 5.5, 6.5] {
            let due = try await Self.untold(database, after: days)
            #expect(due.count == 1, "after \(days) days")
            for one in due { try await database.banks.markTold(one) }
            #expect(try await Self.untold(database, after: days + 0.1).isEmpty)
        }
        // The interface refuses the consent too, which is nothing new.
        try await Self.replace(database, [Self.consent(endsIn: 6, endedAt: Self.now.addingTimeInterval(6.2 * 86_400))])
        #expect(try await Self.untold(database, after: 6.6).isEmpty)
        try await Self.replace(database, [Self.consent(endsIn: 96)])
        #expect(try await Self.untold(database, after: 6.7).isEmpty)
        #expect(try await Self.untold(database, after: 90).count == 1)
    }
}
