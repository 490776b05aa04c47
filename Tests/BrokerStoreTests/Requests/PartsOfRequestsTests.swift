import Clocks
import Encodings
import Foundation
import Messages
import Signer
import Storage
import TestParties
import Testing

@testable import BrokerStore
@testable import Inbox

@Suite("A further document of a place")
struct PartsOfRequestsTests {
    private let stage: HandStage

    init() throws { stage = try HandStage() }

    private static let digest = String(repeating: "a1", count: 32)
    private static let digestOfSecond = String(repeating: "b2", count: 32)
    private static let missing = ClosingManifest.Outcome.failed(.pdfDownloadFailed, message: "no statement")

    private static func item(month: Int, part: Int = 1) -> DocumentSelection.Item {
        let place = DocumentPlace(period: MonthYear(month: month, year: 2026)!, part: part)
        return DocumentSelection.Item(place, id: DocumentID(bankID: "default", place))
    }

    /// Returns an approved request for January to a month.
    private func approved(to month: Int) async throws -> RequestID {
        let items = (1...month).map { Self.item(month: $0) }
        let selection = try #require(DocumentSelection(items.map(\.place)))
        let envelope = RequestEnvelope(
            bankID: "default", subject: .documents(selection), issuedAt: Timestamp(HandStage.time(0)),
            approvalExpiresAt: Timestamp(HandStage.time(300)))
        let insertion = try await stage.store.insert(
            envelope, signed: envelope.signed(with: stage.broker.secret), agentRequestID: nil,
            documents: items.map { WantedDocument($0, earlier: nil) })
        #expect(insertion == .inserted)
        #expect(try await stage.store.approve(envelope.requestID, at: HandStage.time(0), timeout: .seconds(600)))
        return envelope.requestID
    }

    /// Delivers the first document to a request.
    ///
    /// - Parameter count: the number of documents that it asks for.
    private func deliver(
        _ item: DocumentSelection.Item, of count: Int = 1, _ sha256: String, for id: RequestID
    ) async throws {
        let document = CompletionManifest.Document(item, number: 1, of: count)
        let filename = document.filename(for: id)
        let manifest = CompletionManifest(
            requestID: id, filename: filename, sha256: sha256, bytes: 9, completedAt: Timestamp(HandStage.time(1)),
            document: document)
        let secret = stage.broker.secret
        let verified = try manifest.signed(with: secret).verified(with: secret)
        let file = stage.broker.root.appending(path: filename)
        #expect(try await stage.store.complete(verified, file: file, at: HandStage.time(1)) == .accepted)
    }

    private func close(_ id: RequestID, _ entries: [ClosingManifest.Entry]) async throws {
        let closing = ClosingManifest(requestID: id, entries: entries, completedAt: Timestamp(HandStage.time(2)))
        let secret = stage.broker.secret
        let verified = try closing.signed(with: secret).verified(with: secret)
        #expect(try await stage.store.close(verified, at: HandStage.time(2)) == .accepted)
    }

    @Test("is listed with the first one, also where that came for another request")
    func adopted() async throws {
        let (one, two) = (try await approved(to: 1), try await approved(to: 2))
        try await deliver(Self.item(month: 1, part: 2), Self.digestOfSecond, for: one)
        try await deliver(Self.item(month: 1), Self.digest, for: one)
        try await close(
            two,
            [
                .init(id: Self.item(month: 1).id, outcome: .delivered(sha256: Self.digest)),
                .init(id: Self.item(month: 2).id, outcome: Self.missing),
            ])
        let documents = try await stage.store.documents(of: two)
        #expect(documents.map(\.place.part) == [1, 2, 1])
        #expect(documents.map(\.sha256) == [Self.digest, Self.digestOfSecond, nil])
        #expect(documents.map { $0.filePath != nil } == [true, true, false])
        #expect(try await stage.store.request(two)?.status == .completed)
    }

    @Test("may come for a complete request, as nothing else may for one that has ended")
    func ended() async throws {
        func hasEnded(_ id: RequestID, _ item: DocumentSelection.Item?) async throws -> Bool {
            try await stage.store.hasEnded(id, document: item?.id)
        }
        let (first, further) = (Self.item(month: 1), Self.item(month: 1, part: 2))
        #expect(try await !hasEnded(RequestID(), nil), "another broker may know it")
        let (complete, failed) = (try await approved(to: 1), try await approved(to: 2))
        for item in [nil, first, further] { #expect(try await !hasEnded(complete, item)) }
        try await deliver(first, Self.digest, for: complete)
        #expect(try await !hasEnded(complete, first), "it goes on until its closing manifest")
        try await close(complete, [.init(id: first.id, outcome: .delivered(sha256: Self.digest))])
        for item in [nil, first] { #expect(try await hasEnded(complete, item)) }
        #expect(try await !hasEnded(complete, further))
        try await deliver(further, Self.digestOfSecond, for: complete)
        #expect(try await hasEnded(complete, further), "it is there")
        #expect(try await stage.store.move(failed, from: .approved, to: .failed, at: HandStage.time(3)))
        for item in [nil, first, further] { #expect(try await hasEnded(failed, item)) }
        let waiting = try await stage.stored(stage.envelope())
        #expect(try await !hasEnded(waiting, nil))
        #expect(try await stage.store.move(waiting, from: .pendingApproval, to: .denied, at: HandStage.time(3)))
        #expect(try await hasEnded(waiting, nil))
    }

    @Test("leaves files of which the log says whether their delivery was taken")
    func leftOver() async throws {
        let id = try await approved(to: 2)
        let (first, second) = (Self.item(month: 1), Self.item(month: 2))
        try await deliver(first, of: 2, Self.digest, for: id)
        let status = try #require(try await stage.store.request(id)?.status)
        #expect(try await stage.store.move(id, from: status, to: .failed, at: HandStage.time(3)))
        for (item, isTaken) in [(first, true), (second, false), (nil, false)] {
            let remains = DeliveryRemains(name: "\(id).pdf", requestID: id, document: item?.id, discarded: 0)
            #expect(try await stage.store.note(remains, at: HandStage.time(4)) == isTaken)
            let event = try await stage.database.audit.records(AuditFilter(type: "delivery.rejected")).last?.event
            let reason =
                isTaken
                ? "left over of a delivery that was taken" : "the rest of it never came, and the request has ended"
            #expect(event?.details["reason"]?.stringValue == reason)
        }
    }

    @Test("does not complete a request that got none of those that it asked for")
    func alone() async throws {
        let id = try await approved(to: 1)
        try await deliver(Self.item(month: 1, part: 2), Self.digestOfSecond, for: id)
        try await close(id, [.init(id: Self.item(month: 1).id, outcome: Self.missing)])
        #expect(try await stage.store.request(id)?.status == .failed)
    }
}
