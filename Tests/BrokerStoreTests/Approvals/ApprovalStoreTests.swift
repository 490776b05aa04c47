import Clocks
import DeviceTrust
import Foundation
import GRDB
import Messages
import Signer
import Storage
import Testing

@testable import BrokerStore

@Suite("The stored approvals")
struct ApprovalStoreTests {
    private let stage: HandStage

    init() throws { stage = try HandStage() }

    /// A device that the database knows as paired.
    private struct Device {
        let id = DeviceID()
        let key = VaultDeviceKey()
    }

    private static let script = String(repeating: "5c", count: 32)

    private func paired() async throws -> Device {
        let device = Device()
        try await stage.database.pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO devices (id, name, public_key, token_sha256, secret_sealed, created_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    device.id.description, "Telephone", device.key.publicKey.description, device.id.description,
                    Data([1]),
                    Timestamp(HandStage.time(0)).description,
                ])
        }
        return device
    }

    private func evidence(of device: Device, for envelope: RequestEnvelope) async throws -> ApprovalEvidence {
        let summary = ApprovalSummary(
            envelope: envelope, deviceID: device.id, script: Self.script, verifiedBy: [.passphrase])
        let signed = try await summary.signed(for: ServerID(), with: device.key)
        return ApprovalEvidence(summary: summary, signature: signed.signature)
    }

    private func add(
        _ device: Device, to envelope: RequestEnvelope, needed: Int = 1
    ) async throws -> ApprovalStore.Addition {
        try await stage.database.approvals.add(
            try await evidence(of: device, for: envelope), by: device.id, to: envelope.requestID, needed: needed,
            at: HandStage.time(1), timeout: .seconds(600))
    }

    /// Returns the approvals of the table as the device's and the request's IDs.
    private func approvals(thatAreVoid isVoid: Bool) async throws -> Set<[String]> {
        try await stage.database.pool.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT device_id, request_id FROM request_approvals WHERE (voided_at IS NOT NULL) = ?",
                arguments: [isVoid])
            return Set(rows.map { [$0["device_id"] as String, $0["request_id"] as String] })
        }
    }

    @Test("has nothing of a request that does not wait for approval", arguments: RequestStatus.allCases)
    func waiting(status: RequestStatus) async throws {
        let device = try await paired()
        let envelope = stage.envelope()
        _ = try await stage.stored(envelope)
        try await stage.database.pool.write { db in
            try db.execute(sql: "UPDATE pending_requests SET status = ?", arguments: [status.rawValue])
        }
        let addition = try await add(device, to: envelope)
        let isKept = try await !approvals(thatAreVoid: false).isEmpty
        switch addition {
        case .approved: #expect(status == .pendingApproval && isKept)
        case .notPending: #expect(status != .pendingApproval && !isKept)
        case .counted, .repeated, .removedDevice: Issue.record("\(addition)")
        }
        #expect(try await stage.store.request(envelope.requestID)?.status == (isKept ? .approved : status))
    }

    @Test("are in the audit log, with the device, the script and what verified the person")
    func audited() async throws {
        let device = try await paired()
        let envelope = stage.envelope()
        _ = try await stage.stored(envelope)
        _ = try await add(device, to: envelope, needed: 2)
        let events = try await stage.database.audit.records(AuditFilter(type: "approval.signed")).map(\.event)
        #expect(events.map(\.requestID) == [envelope.requestID.description])
        #expect(
            events.map(\.details) == [
                [
                    "device": .string(device.id.description), "script": .string(Self.script),
                    "verified_by": ["passphrase"],
                ]
            ])
    }

    @Test("of a removed device are void for requests that wait or run, and other devices' and ended requests' are not")
    func removed() async throws {
        let (device, other) = (try await paired(), try await paired())
        let (running, ended, waiting) = (stage.envelope(month: 1), stage.envelope(month: 2), stage.envelope(month: 3))
        for envelope in [running, ended, waiting] { _ = try await stage.stored(envelope) }
        _ = try await add(device, to: running, needed: 2)
        _ = try await add(other, to: running, needed: 2)
        _ = try await add(device, to: ended)
        _ = try await add(device, to: waiting, needed: 2)
        let end = ended.requestID
        #expect(try await stage.store.start(end, at: HandStage.time(2)))
        #expect(try await stage.store.move(end, from: .executing, to: .completed, at: HandStage.time(3)))

        #expect(try await stage.database.devices.remove(device.id) == [running.requestID])
        func row(_ device: Device, _ envelope: RequestEnvelope) -> [String] {
            [device.id.description, envelope.requestID.description]
        }
        #expect(try await approvals(thatAreVoid: true) == [row(device, running), row(device, waiting)])
        #expect(try await approvals(thatAreVoid: false) == [row(device, ended), row(other, running)])
        // The copy of the removed device's secret is gone, and the other's is there.
        let withSecret = try await stage.database.pool.read { db in
            try String.fetchAll(db, sql: "SELECT device_id FROM request_executors WHERE secret_sealed IS NOT NULL")
        }
        #expect(withSecret == [other.id.description])
    }

    @Test("name the device that runs a request, with its secrets unless it was removed")
    func executor() async throws {
        let device = try await paired()
        let envelope = stage.envelope()
        let id = try await stage.stored(envelope)
        let approvals = stage.database.approvals
        #expect(try await approvals.executor(of: id) == nil)
        #expect(try await approvals.runner(of: id) == nil)
        _ = try await add(device, to: envelope)
        #expect(try await approvals.runner(of: id) == device.id.description)
        #expect(try await stage.store.start(id, at: HandStage.time(2)))
        #expect(try await approvals.runner(of: id) == device.id.description)
        try await stage.database.pool.write { db in
            try db.execute(sql: "UPDATE devices SET secret_sealed = ?", arguments: [Data([2])])
        }
        let executor = try #require(try await approvals.executor(of: id))
        #expect(executor.device == device.id && executor.sealedSecrets == [Data([1]), Data([2])])
        // The copy of its secret does not count, even if it is left.
        try await stage.database.pool.write { db in
            try db.execute(
                sql: "UPDATE devices SET removed_at = created_at, token_sha256 = NULL, secret_sealed = NULL")
        }
        let removed = try #require(try await approvals.executor(of: id))
        #expect(removed.device == device.id && removed.sealedSecrets.isEmpty)
    }
}
