import BrokerStore
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Messages
import Storage

/// The broker's answer to an approval.
enum ApprovalOutcome: Sendable {
    /// It was the last that was needed: the device may begin.
    case approved
    /// Others have to approve too.
    case counted(approvals: Int, needed: Int)
    case refused(APIError)
}

/// Approvals by paired devices: each is a signature over the request as the broker itself knows it.
struct SignedApprovals: Sendable {
    private let requests: RequestStore
    private let devices: DeviceStore
    private let approvals: ApprovalStore
    private let audit: AuditLog
    let server: ServerID
    private let current: CurrentPolicy
    /// The configuration has the default device, which can approve while it is switched on.
    private let hasDefaultDevice: Bool

    init(_ database: BrokerDatabase, server: ServerID, policy: CurrentPolicy, hasDefaultDevice: Bool) {
        self.hasDefaultDevice = hasDefaultDevice
        requests = database.requests
        devices = database.devices
        approvals = database.approvals
        audit = database.audit
        self.server = server
        current = policy
    }

    private var policy: ApprovalPolicy { current.policy }

    /// Verifies the approval, keeps it as evidence, and approves the request when it is the last that was needed.
    ///
    /// - Parameters:
    ///   - timeout: the time for the execution.
    ///   - decisionID: the name of the device's decision; see ``DecisionBody/id``.
    func approve(
        _ id: RequestID, by device: PairedDevice, _ approval: SignedApproval, at now: Date, timeout: Duration,
        decisionID: Nonce? = nil
    ) async throws -> ApprovalOutcome {
        guard let record = try await requests.request(id) else { return .refused(.unknownRequest) }
        guard record.status == .pendingApproval else {
            return .refused(.conflict(with: record.status, decisionID: record.decisionID))
        }
        guard let nonce = try await devices.nonce(of: device.id, for: id) else {
            return .refused(
                APIError(.forbidden, .signatureInvalid, "this device has not fetched the request; fetch it first"))
        }
        let envelope = try record.envelope(nonce: nonce)
        let summary: ApprovalSummary
        do {
            summary = try approval.verified(
                envelope: envelope, device: device.id, key: device.publicKey, server: server)
        } catch {
            try await audit.record(
                AuditEvent(
                    .approvalRefused, severity: .critical, requestID: id.description,
                    details: ["device": .string(device.id.description), "reason": .string(error.message)], time: now))
            return .refused(APIError(.forbidden, .signatureInvalid, error.message))
        }
        let requirement = try await requirement(of: record)
        if let refusal = refusal(of: summary, requirement) {
            try await audit.record(
                AuditEvent(
                    .approvalRefused, severity: .warning, requestID: id.description,
                    details: ["device": .string(device.id.description), "reason": .string(refusal.message)], time: now))
            return .refused(refusal)
        }
        let evidence = ApprovalEvidence(summary: summary, signature: approval.signature)
        let addition = try await approvals.add(
            evidence, by: device.id, to: id, needed: requirement.devices, at: now, timeout: timeout,
            decisionID: decisionID)
        return switch addition {
        case .approved: .approved
        case .counted(let count): .counted(approvals: count, needed: requirement.devices)
        case .notPending: .refused(.conflict("the request no longer waits for approval"))
        case .repeated: .refused(.conflict("this device has already approved the request"))
        case .removedDevice: .refused(.unauthorized)
        }
    }

    /// Returns the approvals that count for each pending request: the ids of the devices, and their keys.
    func pending() async throws -> [RequestID: (devices: Set<String>, keys: Set<String>)] {
        try await approvals.pendingApprovals()
    }

    /// Returns whether this device may start the request and report on it. Any device may when none runs it.
    func isRun(_ id: RequestID, by caller: CallingDevice) async throws -> Bool {
        guard let runner = try await approvals.runner(of: id) else { return true }
        return runner == caller.name
    }

    private func refusal(of summary: ApprovalSummary, _ requirement: Requirement) -> APIError? {
        let missing = requirement.missing(from: summary.verifiedBy.union([.deviceSignature]))
        guard missing.isEmpty else {
            return .factorMissing(missing.map(\.rawValue), requirement.reasons)
        }
        return nil
    }

    /// Returns the policy's requirement for this request: the needs of every agent that asks for it. Without rules the record's
    /// JSON is not parsed.
    ///
    /// - Parameter others: the agents that asked for the same while it waited.
    func requirement(of record: RequestRecord, others: [AgentName]) throws -> Requirement {
        guard !policy.rules.isEmpty else { return .none }
        let (bankID, subject) = (try record.bankID, try record.subject)
        return ([record.agent] + others).reduce(.none) { needs, agent in
            needs.merged(with: policy.requirement(bankID: bankID, subject: subject, agent: agent))
        }
    }

    private func requirement(of record: RequestRecord) async throws -> Requirement {
        guard !policy.rules.isEmpty else { return .none }
        return try requirement(of: record, others: try await requests.otherAgents(of: [record.id])[record.id] ?? [])
    }

    /// Returns the refusal of an approval by the default device, which cannot sign; nil when no signature is needed.
    func refusalOfUnsigned(_ record: RequestRecord) async throws -> APIError? {
        let requirement = try await requirement(of: record)
        guard !requirement.isNone else { return nil }
        return .factorMissing(
            requirement.factors.union([.deviceSignature]).sorted().map(\.rawValue), requirement.reasons)
    }

    /// Returns a refusal when too few devices that have the bank are paired to approve such a request; nil when there are
    /// enough.
    func unavailability(
        bankID: String, subject: RequestSubject, of agent: AgentName, _ known: KnownBanks
    ) async throws -> APIError? {
        let requirement = policy.requirement(bankID: bankID, subject: subject, agent: agent)
        let paired = Set(known.devices.compactMap(\.publicKey)).count
        guard !requirement.isNone else {
            if paired > 0 { return nil }
            if hasDefaultDevice, try await devices.isDefaultDeviceOn() { return nil }
            return APIError(
                .conflict, .factorUnavailable,
                "no phone can approve: none is paired, and the default device is off; pair one with countersign pair")
        }
        let able = known.approvers(bankID, subject)
        guard able < requirement.devices else { return nil }
        let needed = requirement.devices == 1 ? "a paired device" : "\(requirement.devices) paired devices"
        let there = "there \(paired == 1 ? "is 1" : "are \(paired)")"
        let having = able == paired ? "" : ", of which \(able) \(able == 1 ? "has" : "have") this bank and account"
        return APIError(
            .conflict, .factorUnavailable,
            "the approval needs \(needed), and \(there)\(having); pair one with "
                + "countersign pair (\(requirement.reasons.joined(separator: "; ")))")
    }
}

extension APIError {
    static func factorMissing(_ factors: [String], _ reasons: [String]) -> APIError {
        APIError(
            .forbidden, .factorMissing,
            "the approval needs \(factors.joined(separator: ", ")) (\(reasons.joined(separator: "; ")))")
    }
}
