import Automation
import Foundation
import PhoneStore

extension PhoneDatabase: ConsentBook, RequestCounter {
    package func consent(atBank bankID: String) async throws -> Consent? {
        try await storedConsents().first { $0.bankID == bankID }.map {
            Consent(endsAt: $0.endsAt, endedAt: $0.endedAt, needsOwner: $0.needsOwner)
        }
    }

    package func keep(_ consent: Consent?, atBank bankID: String) async throws {
        guard let consent else { return try await forgetConsent(atBank: bankID) }
        try await store(
            StoredConsent(
                bankID: bankID, endsAt: consent.endsAt, endedAt: consent.endedAt, needsOwner: consent.needsOwner))
    }

    package func count(forBank bankID: String, limit: Int, at now: Date) async throws -> Date? {
        try await countRequest(toBank: bankID, limit: limit, at: now)
    }

    package func turn(forBank bankID: String, gap: Duration, at now: Date) async throws -> Duration {
        .seconds(try await takeTurn(atBank: bankID, gap: gap, at: now).timeIntervalSince(now))
    }
}
