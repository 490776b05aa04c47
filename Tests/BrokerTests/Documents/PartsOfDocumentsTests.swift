import BrokerStore
import Clocks
import Encodings
import Foundation
import Inbox
import Machine
import Messages
import Signer
import TestParties
import Testing

@testable import Broker

@Suite("Several documents that a bank has for one place", .timeLimit(.minutes(4)))
struct PartsOfDocumentsTests {
    private static let january = DocumentPlace(period: MonthYear(month: 1, year: 2026)!)

    private static func ask(_ stage: BrokerStage, to last: String = "2026-01") async throws -> RequestID {
        let banks: JSONValue = ["banks": [["bank_id": "default", "name": "Meridian Savings", "documents": true]]]
        #expect(try await stage.send("PUT", "/phone/banks", as: .phone, banks).status == 200)
        let answer = try await stage.send(
            "POST", "/request",
            ["type": "documents", "from": "2026-01", "to": .string(last), "bank_id": "default"])
        #expect(answer.status == 202, "\(answer.json)")
        return try #require(answer.json["request_id"]?.stringValue.flatMap { RequestID($0) })
    }

    private static func item(_ place: DocumentPlace) -> DocumentSelection.Item {
        DocumentSelection.Item(place, id: DocumentID(bankID: "default", place))
    }

    /// Delivers a document as the phone does, and returns its digest.
    @discardableResult
    private static func publish(
        _ item: DocumentSelection.Item, number: Int = 1, of count: Int = 1, for id: RequestID, _ stage: BrokerStage
    ) throws -> String {
        let pdf = stage.root.appending(path: "\(UUID().uuidString).pdf")
        try AtomicFile.write(Array("%PDF-1.4 \(item.place) startxref 0 %%EOF".utf8), to: pdf)
        let delivery = try InboxPublisher(folder: stage.inbox, secret: stage.secret).publish(
            document: pdf, CompletionManifest.Document(item, number: number, of: count), for: id,
            completedAt: Timestamp(stage.clock.now))
        return delivery.manifest.sha256
    }

    private static func close(_ id: RequestID, _ sha256: String, _ stage: BrokerStage) throws {
        try InboxPublisher(folder: stage.inbox, secret: stage.secret).close(
            ClosingManifest(
                requestID: id, entries: [.init(id: item(january).id, outcome: .delivered(sha256: sha256))],
                completedAt: Timestamp(stage.clock.now)))
    }

    /// Waits until a request is complete.
    private static func completed(_ id: RequestID, _ stage: BrokerStage) async throws -> Bool {
        for _ in 0..<1000 {
            if try await stage.status(id) == "COMPLETED" { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Waits until a request lists a number of files, and returns their parts.
    private static func parts(_ count: Int, of id: RequestID, _ stage: BrokerStage) async throws -> [Int] {
        for _ in 0..<1000 {
            let documents = try await stage.send("GET", "/request/\(id)").json["documents"]?.arrayValue ?? []
            let there = documents.filter { $0["file_path"] != nil }
            if there.count >= count { return there.map { $0["part"]?.intValue ?? 1 } }
            try await Task.sleep(for: .milliseconds(20))
        }
        return []
    }

    @Test(
        "are all kept, in whichever order the folder brings them",
        arguments: [[3, 2, 1], [2, 1, 0, 3], [1, 0, 2, 3]])
    func kept(order: [Int]) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await Self.ask(stage)
            _ = try await stage.decide(id, "APPROVE")
            var first = ""
            for part in order {
                if part == 0 {
                    try Self.close(id, first, stage)
                    #expect(try await Self.completed(id, stage))
                } else {
                    let sha256 = try Self.publish(Self.item(Self.january.numbered(part)), for: id, stage)
                    if part == 1 { first = sha256 }
                }
            }
            if !order.contains(0) { try Self.close(id, first, stage) }
            #expect(try await Self.parts(3, of: id, stage) == [1, 2, 3])
            #expect(try await Self.completed(id, stage))
            let held = try await stage.send("GET", "/documents").json["documents"]?.arrayValue ?? []
            #expect(held.map { $0["part"]?.intValue ?? 1 } == [1, 2, 3])
            let listed = try await stage.send("GET", "/requests").json["requests"]?.arrayValue?.first
            #expect(listed?["bank_id"] == "default", "\(String(describing: listed))")
            #expect(listed?["documents_delivered"] == 1 && listed?["documents_asked"] == 1)
            let receipt = try await stage.send("GET", "/request/\(id)/receipt")
            #expect(receipt.status == 200)

            // A later request has them with the first one.
            let again = try await Self.ask(stage)
            #expect(try await Self.parts(3, of: again, stage) == [1, 2, 3])
            let longer = try await Self.ask(stage, to: "2026-02")
            #expect(try await Self.parts(3, of: longer, stage) == [1, 2, 3])
            let documents = try await stage.send("GET", "/request/\(longer)").json["documents"]?.arrayValue
            #expect(documents?.count == 4 && documents?.last?["period"] == "2026-02")
        }
    }

    @Test("are refused for a place that the request did not ask for, and under a wrong name or number")
    func refused() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await Self.ask(stage)
            _ = try await stage.decide(id, "APPROVE")
            let march = DocumentPlace(period: MonthYear(month: 3, year: 2026)!, part: 2)
            try Self.publish(Self.item(march), for: id, stage)
            let second = Self.january.numbered(2)
            try Self.publish(.init(second, id: Self.item(Self.january.numbered(3)).id), for: id, stage)
            try Self.publish(Self.item(Self.january.numbered(4)), number: 2, of: 2, for: id, stage)
            let first = try Self.publish(Self.item(Self.january), for: id, stage)
            try Self.close(id, first, stage)
            #expect(try await Self.completed(id, stage))
            #expect(try await Self.parts(1, of: id, stage) == [1])
        }
    }
}
