import Clocks
import DeviceTrust
import Encodings
import Foundation
import GRDB
import Messages
import Secrets
import Signer
import TestParties
import Testing

@testable import Broker
@testable import BrokerStore

@Suite("Signed approvals", .timeLimit(.minutes(4)))
struct SignedApprovalTests {
    @Test("a paired device's request goes from its own envelope to its own manifest, with evidence")
    func whole() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            let envelope = try await phone.envelope(of: id)
            let standard = try await stage.send("GET", "/phone/requests/pending", as: .phone)
            let other = try #require(standard.json["requests"]?.arrayValue?.first?["envelope"])
            #expect(other["nonce"]?.stringValue != envelope.nonce.description, "each device has nonces of its own")
            #expect(other["signature"] != (try await phone.entry(of: id))["envelope"]?["signature"])
            #expect(try await phone.envelope(of: id).nonce == envelope.nonce, "and keeps them")

            let approval = try await phone.approval(of: envelope)
            let answer = try await phone.decide(id, "APPROVE", approval)
            #expect(answer.status == 200 && answer.json["status"] == "APPROVED", "\(answer.json)")
            #expect(try await phone.send("POST", "/phone/requests/\(id)/started", [:]).status == 200)
            try stage.publish(id, secret: phone.secret)
            let ended = try await stage.waiting("/request/\(id)?wait=30")
            #expect(ended["status"] == "COMPLETED")
            #expect(try stage.column("completion_nonce", of: id) == nil, "the default device's column stays empty")

            let evidence = try await stage.administration().database.pool.read { db in
                try Row.fetchOne(db, sql: "SELECT summary_json, signature FROM request_approvals").map {
                    [$0["summary_json"] as String, $0["signature"] as String]
                }
            }
            let kept = try #require(evidence)
            let summary = ApprovalSummary(
                envelope: envelope, deviceID: phone.id, script: PairedPhone.script, verifiedBy: [.passphrase])
            #expect(try JSONReader.read(kept[0]) == summary.json)
            let signature = try #require(DeviceSignature(kept[1]))
            #expect(phone.key.publicKey.isValid(signature, for: summary.challenge(of: phone.server)))
            #expect(try await stage.audited().contains("approval.signed"))
        }
    }

    /// A defect of an approval, and the broker's answer.
    struct WrongApproval: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let code: String
        let make: @Sendable (PairedPhone, PairedPhone, RequestEnvelope, RequestEnvelope) async throws -> JSONValue?

        init(
            _ what: String, _ status: Int, _ code: String,
            _ make:
                @escaping @Sendable (
                    PairedPhone, PairedPhone, RequestEnvelope, RequestEnvelope
                ) async throws -> JSONValue?
        ) {
            testDescription = what
            self.status = status
            self.code = code
            self.make = make
        }

        /// Signs a changed envelope.
        static func changed(_ what: String, _ change: @escaping @Sendable (inout RequestEnvelope) -> Void) -> Self {
            Self(what, 403, "SIGNATURE_INVALID") { phone, _, envelope, _ in
                var envelope = envelope
                change(&envelope)
                return try await phone.approval(of: envelope)
            }
        }

        /// Signs correctly, and changes the message afterwards.
        static func sent(
            _ what: String, _ status: Int, _ code: String, _ name: String, _ value: JSONValue
        ) -> Self {
            Self(what, status, code) { phone, _, envelope, _ in
                var members = try await phone.approval(of: envelope).objectValue ?? [:]
                members[name] = value
                return .object(members)
            }
        }
    }

    private static let wrong: [WrongApproval] = [
        WrongApproval("none", 400, "MISSING_FIELD") { _, _, _, _ in nil },
        WrongApproval("no object", 400, "INVALID_FIELD") { _, _, _, _ in "yes" },
        WrongApproval("another device's key", 403, "SIGNATURE_INVALID") { phone, other, envelope, _ in
            try await phone.approval(of: envelope, key: other.key)
        },
        WrongApproval("another device's approval", 403, "SIGNATURE_INVALID") { _, other, envelope, _ in
            try await other.approval(of: envelope)
        },
        WrongApproval("another request's", 403, "SIGNATURE_INVALID") { phone, _, _, other in
            try await phone.approval(of: other)
        },
        WrongApproval("for another broker", 403, "SIGNATURE_INVALID") { phone, _, envelope, _ in
            try await phone.approval(of: envelope, server: ServerID())
        },
        .changed("another bank") { $0.bankID = "other" },
        .changed("another month") { $0.period = MonthYear(month: 2, year: 2026)! },
        .changed("another nonce") { $0.nonce = Nonce() },
        .changed("another begin") { $0.issuedAt = Timestamp($0.issuedAt.date.addingTimeInterval(1)) },
        .changed("another end") { $0.approvalExpiresAt = Timestamp($0.approvalExpiresAt.date.addingTimeInterval(1)) },
        .changed("an end a day later") {
            $0.approvalExpiresAt = Timestamp($0.approvalExpiresAt.date.addingTimeInterval(86_400))
        },
        .sent(
            "another script in the summary", 403, "SIGNATURE_INVALID", "script",
            .string(String(repeating: "0", count: 64))),
        .sent("another verification", 403, "SIGNATURE_INVALID", "verified_by", ["passkey"]),
        .sent("a lease, which does not exist", 400, "INVALID_FIELD", "lease_seconds", 60),
        .sent(
            "a signature of zeros", 403, "SIGNATURE_INVALID", "signature", .string(String(repeating: "A", count: 86))),
        .sent("a short signature", 400, "INVALID_FIELD", "signature", "AAAA"),
        .sent("DER", 400, "INVALID_FIELD", "signature", .string("MEUCIQ" + String(repeating: "A", count: 90))),
        .sent("no verification", 400, "INVALID_FIELD", "verified_by", []),
        .sent("an unknown verification", 400, "INVALID_FIELD", "verified_by", ["retina"]),
        .sent("a script that is not a digest", 400, "INVALID_FIELD", "script", "latest"),
        .sent("a lease that runs back", 400, "INVALID_FIELD", "lease_seconds", -1),
        .sent("one member more", 400, "INVALID_FIELD", "more", 1),
        .sent("an invalid device id", 400, "INVALID_FIELD", "device_id", "default"),
    ]

    @Test("an approval without the device's own signature over exactly this request changes nothing")
    func wrongSignatures() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let other = try await stage.pair("Another")
            let id = try await stage.request()
            let envelope = try await phone.envelope(of: id)
            let otherEnvelope = try await phone.envelope(of: try await stage.request(month: 3))
            for wrong in Self.wrong {
                let approval = try await wrong.make(phone, other, envelope, otherEnvelope)
                let answer = try await phone.decide(id, "APPROVE", approval)
                #expect(
                    answer.status == wrong.status && answer.json["error_code"]?.stringValue == wrong.code,
                    "\(wrong.testDescription): \(answer.status) \(answer.json)")
                #expect(try await stage.status(id) == "PENDING_APPROVAL", "\(wrong.testDescription)")
            }
            let refusals = try await stage.administration().database.audit.records().filter {
                $0.event.type == "approval.refused"
            }
            #expect(refusals.count == Self.wrong.filter { $0.code == "SIGNATURE_INVALID" }.count)
            #expect(refusals.allSatisfy { $0.event.severity == .critical && $0.event.requestID == id.description })
            #expect(try await phone.approve(id).status == 200)
            #expect(try await phone.approve(id, or: envelope).status == 409, "and once")
        }
    }

    @Test("a signed approval of a request that the device never received is refused")
    func unseen() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            let envelope = RequestEnvelope(
                requestID: id, bankID: "default", period: MonthYear(month: 1, year: 2026)!,
                issuedAt: Timestamp(stage.clock.now),
                approvalExpiresAt: Timestamp(stage.clock.now.addingTimeInterval(300)))
            let answer = try await phone.decide(id, "APPROVE", try await phone.approval(of: envelope))
            #expect(answer.status == 403 && answer.json["error_code"] == "SIGNATURE_INVALID")
            #expect(try await phone.decide(RequestID(), "APPROVE", phone.approval(of: envelope)).status == 404)
        }
    }

    @Test("a denial needs no signature from either kind of device")
    func denial() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let first = try await stage.request()
            #expect(try await phone.decide(first, "DENY").status == 200)
            let second = try await stage.request(month: 2)
            #expect(try await stage.decide(second, "DENY").status == 200)
            #expect(try await stage.status(first) == "DENIED")
        }
    }

    @Test("only the device that approved may run the request, report on it and deliver")
    func executor() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let other = try await stage.pair("Another")
            let failure: JSONValue = [
                "error_code": "NAVIGATION_FAILED", "failed_at": .string(Timestamp(stage.clock.now).description),
            ]
            let id = try await stage.request()
            _ = try await other.pending()
            #expect(try await phone.approve(id).status == 200)
            for (path, body) in [("started", [:]), ("failure", failure)] as [(String, JSONValue)] {
                let refused = try await other.send("POST", "/phone/requests/\(id)/\(path)", body)
                #expect(refused.status == 403 && refused.json["error_code"] == "OTHER_DEVICE")
                let standard = try await stage.send("POST", "/phone/requests/\(id)/\(path)", as: .phone, body)
                #expect(standard.status == 403)
            }
            for secret in [try other.secret, stage.secret] {
                try await stage.refusesDelivery(of: id, signedWith: secret)
            }
            #expect(try await stage.status(id) == "APPROVED")
            try stage.publish(id, secret: phone.secret)
            #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")

            let standard = try await stage.request(month: 2)
            #expect(try await stage.decide(standard, "APPROVE").status == 200)
            #expect(try await phone.send("POST", "/phone/requests/\(standard)/started", [:]).status == 403)
            #expect(try await stage.send("POST", "/phone/requests/\(standard)/started", as: .phone, [:]).status == 200)
        }
    }

    @Test("completion nonces are unique per device: two devices may use the same one")
    func completionNonces() async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phones = [try await stage.pair(), try await stage.pair("Another")]
            let nonce = Nonce()
            for phone in phones {
                let id = try await stage.request()
                #expect(try await phone.approve(id).status == 200)
                try stage.publish(id, secret: phone.secret, nonce: nonce)
                #expect(try await stage.waiting("/request/\(id)?wait=30")["status"] == "COMPLETED")
            }
            let standard = try await stage.request()
            #expect(try await stage.decide(standard, "APPROVE").status == 200)
            try stage.publish(standard, nonce: nonce)
            #expect(try await stage.waiting("/request/\(standard)?wait=30")["status"] == "COMPLETED")
            #expect(try stage.column("completion_nonce", of: standard) == nonce.description)

            let again = try await stage.request()
            #expect(try await phones[0].approve(again).status == 200)
            try await stage.refusesDelivery(of: again, signedWith: phones[0].secret, nonce: nonce)
        }
    }

    @Test("approvals expire by the broker's clocks, not by the phone's", arguments: [-86_400.0, -300, 300, 86_400])
    func clocks(difference: TimeInterval) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            let phone = try await stage.pair()
            let id = try await stage.request()
            let envelope = try await phone.envelope(of: id)
            let approval = try await phone.approval(of: envelope)
            let claimed = Timestamp(stage.clock.now.addingTimeInterval(difference))
            let body: JSONValue = [
                "decision": "APPROVE", "decided_at": .string(claimed.description), "approval": approval,
            ]
            let answer = try await phone.send("POST", "/phone/requests/\(id)/decision", body)
            #expect(answer.status == 200, "in time by the broker's clock: \(answer.json)")

            let late = try await stage.request(month: 2)
            let lateEnvelope = try await phone.envelope(of: late)
            stage.clock.advance(by: 301)
            stage.clock.setWall(by: difference < 0 ? difference : 0)
            let refused = try await phone.decide(late, "APPROVE", try await phone.approval(of: lateEnvelope))
            #expect(refused.status == 408 && refused.json["error_code"] == "APPROVAL_EXPIRED", "\(refused.json)")
        }
    }
}

extension PairedPhone {
    /// Approves with an envelope that was fetched before.
    fileprivate func approve(_ id: RequestID, or envelope: RequestEnvelope) async throws -> (
        status: Int, json: JSONValue
    ) {
        try await decide(id, "APPROVE", try await approval(of: envelope))
    }
}

extension BrokerStage {
    /// Publishes a delivery and waits until it is moved away as refused.
    func refusesDelivery(of id: RequestID, signedWith secret: Signer.SharedSecret, nonce: Nonce = Nonce()) async throws
    {
        let before = logged.filter { $0.contains("delivery refused") }.count
        try publish(id, secret: secret, nonce: nonce)
        let end = ContinuousClock.now + .seconds(60)
        while logged.filter({ $0.contains("delivery refused") }).count == before {
            try #require(ContinuousClock.now < end, "the delivery was not refused")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
