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

/// Two people may have the same bank, each with a login of their own. The broker knows phones and banks, and no people.
@Suite("A bank that two phones have", .timeLimit(.minutes(4)))
struct SameBankOnTwoPhonesTests {
    private static func bank(_ accounts: [JSONValue] = []) -> JSONValue {
        var members: [String: JSONValue] = ["bank_id": "default", "name": "Meridian Savings", "documents": true]
        if !accounts.isEmpty { members["accounts"] = .array(accounts) }
        return ["banks": [.object(members)]]
    }

    private static let january: [String: JSONValue] = [
        "type": "documents", "from": "2026-01", "to": "2026-01", "bank_id": "default",
    ]

    private static func ask(_ stage: BrokerStage, _ body: [String: JSONValue]) async throws -> JSONValue {
        let answer = try await stage.send("POST", "/request", .object(body))
        #expect(answer.status == 202, "\(answer.json)")
        return answer.json
    }

    private static func alsoOn(_ phone: PairedPhone) async throws -> [JSONValue?] {
        try await phone.pending().map { $0["also_on"] }
    }

    @Test("is named as one by each phone's list and by the answer to the agent, and only while both have it")
    func told() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let (ada, bob) = (try await stage.pair("Ada's laptop"), try await stage.pair("Bob's tablet"))
            try await stage.administration().devices.switchDefaultDevice(on: false)
            _ = try await ada.send("PUT", "/phone/banks", Self.bank(["Giro", "Savings"]))
            let alone = try await Self.ask(stage, Self.january)
            #expect(alone["phones"] == nil)
            #expect(try await Self.alsoOn(ada) == [nil])

            _ = try await bob.send("PUT", "/phone/banks", Self.bank(["Giro"]))
            // The request names the account that both have.
            let both = try await Self.ask(stage, Self.january.merging(["account": "Giro", "to": "2026-02"]) { $1 })
            #expect(both["phones"] == 2)
            let one = try await Self.ask(stage, Self.january.merging(["account": "Savings", "to": "2026-02"]) { $1 })
            #expect(one["phones"] == nil, "only Ada has it")
            #expect(try await Self.alsoOn(bob) == [["Ada's laptop"]])
            let shown = try await Self.alsoOn(ada)
            #expect(shown.count == 3 && shown.filter { $0 == ["Bob's tablet"] }.count == 1, "\(shown)")

            _ = try await ada.send("PUT", "/phone/banks", ["banks": []])
            #expect(try await Self.alsoOn(bob) == [nil])
        }
    }

    @Test("gives an agent no document again that may be the other person's")
    func fetchedAnew() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            #expect(try await stage.send("PUT", "/phone/banks", as: .phone, Self.bank()).status == 200)
            let first = try await Self.ask(stage, Self.january)
            let id = try #require(first["request_id"]?.stringValue.flatMap { RequestID($0) })
            _ = try await stage.decide(id, "APPROVE")
            try Self.deliver(for: id, stage)
            #expect(try await BrokerStage.waitForEnd(of: id, on: stage) == .completed)
            #expect(try await Self.ask(stage, Self.january)["status"] == "COMPLETED", "it is there already")

            let bob = try await stage.pair("Bob")
            _ = try await bob.send("PUT", "/phone/banks", Self.bank())
            let again = try await Self.ask(stage, Self.january)
            #expect(again["status"] == "PENDING_APPROVAL" && again["phones"] == 2, "\(again)")
        }
    }

    /// Asks for January, lets a phone approve and deliver it, and returns the digest of the file.
    private static func fetch(by phone: PairedPhone, _ stage: BrokerStage) async throws -> String {
        let asked = try await ask(stage, january)
        #expect(asked["status"] == "PENDING_APPROVAL", "\(asked)")
        let id = try #require(asked["request_id"]?.stringValue.flatMap { RequestID($0) })
        #expect(try await phone.approve(id).status == 200)
        let sha256 = try deliver(for: id, stage, signedWith: try phone.secret)
        #expect(try await BrokerStage.waitForEnd(of: id, on: stage) == .completed)
        return sha256
    }

    /// The ways in which a phone ceases to be one that can fetch.
    enum Parting: CaseIterable {
        case removed, withoutTheBank
    }

    @Test(
        "gives an agent no document of a phone that has parted, and none while a phone may have the bank untold",
        arguments: Parting.allCases)
    func parted(_ parting: Parting) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let (ada, bob) = (try await stage.pair("Ada"), try await stage.pair("Bob"))
            try await stage.administration().devices.switchDefaultDevice(on: false)
            _ = try await ada.send("PUT", "/phone/banks", Self.bank())
            _ = try await bob.send("PUT", "/phone/banks", Self.bank())
            let his = try await Self.fetch(by: bob, stage)
            switch parting {
            case .removed: try await stage.administration().devices.remove(bob.id)
            case .withoutTheBank: _ = try await bob.send("PUT", "/phone/banks", ["banks": []])
            }
            let hers = try await Self.fetch(by: ada, stage)
            #expect(his != hers)

            // Ada's own file counts, also for the request that was answered with it.
            for count in 1...2 {
                let again = try await Self.ask(
                    stage, Self.january.merging(["agent_request_id": .string("again-\(count)")]) { $1 })
                #expect(again["status"] == "COMPLETED", "\(again)")
                let id = try #require(again["request_id"]?.stringValue)
                let documents = try await stage.send("GET", "/request/\(id)").json["documents"]?.arrayValue ?? []
                #expect(documents.map { $0["sha256"] } == [.string(hers)])
            }
            _ = try await stage.pair("A phone that never tells")
            #expect(try await Self.ask(stage, Self.january)["status"] == "PENDING_APPROVAL")
        }
    }

    @discardableResult
    private static func deliver(
        for id: RequestID, _ stage: BrokerStage, signedWith secret: Signer.SharedSecret? = nil
    ) throws -> String {
        let place = DocumentPlace(period: MonthYear(month: 1, year: 2026)!)
        let item = DocumentSelection.Item(place, id: DocumentID(bankID: "default", place))
        let pdf = stage.root.appending(path: "\(UUID().uuidString).pdf")
        try AtomicFile.write(Array("%PDF-1.4 \(id) startxref 0 %%EOF".utf8), to: pdf)
        let publisher = InboxPublisher(folder: stage.inbox, secret: secret ?? stage.secret)
        let now = Timestamp(stage.clock.now)
        let delivery = try publisher.publish(
            document: pdf, CompletionManifest.Document(item, number: 1, of: 1), for: id, completedAt: now)
        try publisher.close(
            ClosingManifest(
                requestID: id, entries: [.init(id: item.id, outcome: .delivered(sha256: delivery.manifest.sha256))],
                completedAt: now))
        return delivery.manifest.sha256
    }
}
