import DeviceTrust
import Encodings
import Foundation
import Messages
import TestParties
import Testing

@testable import Broker

@Suite("The receipt of a request")
struct ReceiptAPITests {
    private func file(_ json: JSONValue) throws -> [UInt8] { try json.canonicalBytes() + [0x0A] }

    @Test("is there once the request is complete, carries the device's approval, and keeps its key")
    func complete() async throws {
        let stage = try BrokerStage()
        let keys = Keys()
        for round in 1...2 {
            try await stage.run { stage in
                let phone = try await stage.pair("Phone \(round)")
                let id = try await stage.request()
                let early = try await stage.send("GET", "/request/\(id)/receipt")
                #expect(early.status == 409 && early.json["status"] == "PENDING_APPROVAL")
                #expect(try await phone.approve(id).status == 200)
                try stage.publish(id, secret: phone.secret)
                #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
                let answer = try await stage.send("GET", "/request/\(id)/receipt")
                #expect(answer.status == 200)
                let verified = try VerifiedReceipt(file: try file(answer.json))
                #expect(verified.receipt.requestID == id && verified.receipt.agent == .standard)
                #expect(verified.receipt.approvals.map(\.key) == [phone.key.publicKey])
                #expect(verified.receipt.approvals.first?.script == PairedPhone.script)
                #expect(
                    verified.receipt.documents.map(\.sha256) == [
                        try #require(try stage.column("result_sha256", of: id))
                    ])
                await keys.add(verified.key.id)
                #expect(try await stage.administration().receiptKey()?.id == verified.key.id)
            }
        }
        #expect(await keys.all.count == 1)
    }

    private actor Keys {
        var all: Set<String> = []
        func add(_ key: String) { all.insert(key) }
    }

    @Test("says when no device signed the approval")
    func unsigned() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            _ = try await stage.decide(id, "APPROVE")
            try stage.publish(id)
            #expect(try await BrokerStage.wait(for: id, on: stage) == "COMPLETED")
            let verified = try VerifiedReceipt(
                file: try file(try await stage.send("GET", "/request/\(id)/receipt").json))
            #expect(verified.receipt.approvals.isEmpty && verified.receipt.documents.count == 1)
        }
    }

    @Test("is not for another agent, and none is there of an unknown request")
    func strangers() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let id = try await stage.request()
            let other = try await stage.administration().agents.add(try #require(AgentName("other"))).revealed()
            #expect(try await stage.send("GET", "/request/\(id)/receipt", as: .token(other)).status == 404)
            #expect(try await stage.send("GET", "/request/\(RequestID())/receipt").status == 404)
            #expect(try await stage.send("GET", "/request/\(id)/receipt", as: .nobody).status == 401)
        }
    }
}
