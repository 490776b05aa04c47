import Clocks
import Foundation
import Messages
import Signer
import TestParties
import Testing

@testable import BrokerStore

@Suite("Openings of an offer that cross")
struct OfferStoreTests {
    private static let now = Date(timeIntervalSince1970: 1_780_000_000)
    private static let months = (MonthYear(month: 1, year: 2026)!, MonthYear(month: 2, year: 2026)!)

    /// An event between the two steps of an opening at the broker.
    enum Crossing: CaseIterable { case withdrawal, dismissal }

    private func request(_ store: RequestStore, _ stage: BrokerStage) async throws -> RequestID {
        let envelope = RequestEnvelope(
            bankID: "default", period: Self.months.0, issuedAt: Timestamp(Self.now),
            approvalExpiresAt: Timestamp(Self.now + 300))
        let signed = envelope.signed(with: stage.secret)
        #expect(try await store.insert(envelope, signed: signed, agentRequestID: nil) == .inserted)
        return envelope.requestID
    }

    private func offer(_ store: OfferStore) async throws -> DocumentOffer {
        let offer = DocumentOffer(
            bankID: "default", DocumentsRequest(from: Self.months.0, to: Self.months.1), agent: .standard,
            createdAt: Timestamp(Self.now), expiresAt: Timestamp(Self.now + 86_400))
        #expect(try await store.add(offer, atMost: 9) == .made)
        return try #require(try await store.offer(offer.id))
    }

    @Test("leave no request to approve that the offer does not know", arguments: Crossing.allCases)
    func crossing(_ crossing: Crossing) async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        let read = try await offer(database.offers)
        let made = try await request(database.requests, stage)
        switch crossing {
        case .withdrawal: #expect(try await database.offers.end(read, as: .withdrawn, by: "agent", at: Self.now))
        case .dismissal: #expect(try await database.offers.end(read, as: .dismissed, by: "phone", at: Self.now))
        }
        #expect(
            try await !database.offers.noteOpening(of: read, by: "phone", request: made, isNew: true, at: Self.now))
        let stored = try await database.requests.request(made)
        #expect(stored?.status == .expired)
        #expect(stored?.errorCode == ErrorCode.approvalExpired.rawValue)
    }

    @Test("leave a request as it is that another opening has made")
    func same() async throws {
        let stage = try BrokerStage()
        let database = try BrokerDatabase(stage.database)
        let read = try await offer(database.offers)
        let made = try await request(database.requests, stage)
        #expect(try await database.offers.noteOpening(of: read, by: "one", request: made, isNew: true, at: Self.now))
        #expect(
            try await !database.offers.noteOpening(of: read, by: "two", request: made, isNew: false, at: Self.now))
        #expect(try await database.requests.request(made)?.status == .pendingApproval)
        #expect(try await database.offers.offer(read.id)?.requestID == made)
    }
}
