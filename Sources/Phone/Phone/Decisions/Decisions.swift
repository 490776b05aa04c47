import Automation
import BankScript
import Clocks
import DeviceTrust
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage

/// The result of an approval that the broker accepted.
package enum Acceptance: Sendable {
    /// The request is approved and has to be performed now.
    case run(ApprovedRun)
    /// More devices are needed; the approval that completes the number starts the run, on that device.
    case waiting(approvals: Int, needed: Int)
}

/// The person's decisions: checks, signs and sends each, one at a time.
struct Decisions: Sendable {
    let home: PhoneHome
    let store: PhoneDatabase
    let broker: BrokerConnection
    let requests: PendingRequests
    let runs: Runs
    let reconciliation: Reconciliation
    let rotation: CredentialRotation
    let events: PhoneEvents
    let clock: any RunClock
    let queue: SerialQueue
    /// The places that can keep the key that signs.
    let keys: DeviceKeyMakers

    private var now: Date { clock.now }

    /// Denies a request.
    func deny(_ id: RequestID) async throws {
        _ = try await decide(id, .deny, moving: .denied, PhoneDatabase.Change(errorCode: .deniedByUser))
    }

    /// Approves a request; the caller has to perform the run that this returns.
    ///
    /// - Parameter tryingAgain: the person wants another try although ``PendingRequest/hold`` says what the bank
    ///   answered last time.
    func accept(
        _ request: PendingRequest, with verifications: [any UserVerification], tryingAgain: Bool
    ) async throws -> Acceptance {
        // One look at the scripts: a bank that is added meanwhile must not bring another one between the checks.
        let review = broker.review
        let wanted = try await executable(request, by: review)
        let confirmed = tryingAgain ? request.hold?.id : nil
        if let hold = try await store.hold(onBank: request.bankID), hold.id != confirmed {
            let error = PhoneError(
                .onHold, "\(request.bankName) \(hold.words); store other credentials, or confirm another try")
            try await recordRefusal(of: request.id, error)
            throw error
        }
        let policy = try PhonePolicy(of: home)
        let check = RequirementCheck(
            broker: wanted.needs.requirement, policy: policy.requirement(of: request), isPaired: broker.isPaired)
        do {
            try check.check(shown: verifications)
            try policy.check(home.vault, for: request)
        } catch let error as PhoneError {
            try await recordRefusal(of: request.id, error)
            throw error
        }
        let secrets = try await open(verifications, for: request)
        try await VouchedFiles.check(
            policy, scriptOf: request.bankID, in: review.scripts, of: home, secrets,
            for: request.id, at: now)
        try await rotation.rotateIfAsked(secrets)
        let approval = try await signature(of: wanted, verifications, secrets)
        runs.markUnderWay(request.id)
        let answer: DecisionAnswer
        do {
            // If the decision fails, the last reference to the vault goes and closes it.
            answer = try await decide(
                request.id, .approve, moving: .approved, PhoneDatabase.Change(scriptDigest: wanted.script.digest.hex),
                approval: approval)
        } catch {
            runs.markEnded(request.id)
            throw error
        }
        if case .waiting(let approvals, let needed) = answer {
            runs.markEnded(request.id)
            secrets.close()
            return .waiting(approvals: approvals, needed: needed)
        }
        if let confirmed {
            try await store.audit.record(
                AuditEvent(
                    .holdOverridden, severity: .warning, requestID: request.id.description,
                    details: ["bank_id": .string(request.bankID), "hold": .string(confirmed)], time: now))
        }
        return .run(
            ApprovedRun(
                envelope: wanted.envelope, script: wanted.script, secrets: secrets, confirmedHold: confirmed))
    }

    // MARK: Before the decision

    private struct Executable {
        let script: BankScript
        let envelope: RequestEnvelope
        let needs: RequestNeeds
    }

    /// Checks that a request may still be approved, and that the script is the one that was shown.
    private func executable(_ request: PendingRequest, by review: EnvelopeReview) async throws -> Executable {
        guard let stored = try await store.request(request.id) else {
            throw PhoneError(.unknownRequest, "request \(request.id.short) is unknown")
        }
        guard stored.status == .pendingApproval else {
            throw PhoneError(.notPending, "request \(request.id.short) is already \(stored.status.rawValue)")
        }
        guard stored.approvalExpiresAt > now else {
            try await requests.expire()
            throw PhoneError(.expired, "the time for request \(request.id.short) is over; ask for it again")
        }
        let verified = try requests.verified(stored)
        let script = try review.script(for: verified)
        guard script.digest == request.script else {
            throw PhoneError(.scriptChanged, "the script has changed since it was shown; look at the request again")
        }
        guard !stored.needs.isApprovedHere else {
            throw PhoneError(
                .notPending, "request \(request.id.short) is already approved here; it waits for another device")
        }
        return Executable(script: script, envelope: verified.envelope, needs: stored.needs)
    }

    /// Opens the vault by each verification. If any of them fails, none counts.
    private func open(
        _ verifications: [any UserVerification], for request: PendingRequest
    ) async throws -> VaultSecretStore {
        let reason = "Fetch the \(request.subject.noun) \(request.subject.words) from \(request.bankName)"
        var opened: VaultSecretStore?
        for verification in verifications {
            do {
                let secrets = try await home.open(verification, reason: reason, for: request.id, at: now)
                opened?.close()
                opened = secrets
            } catch {
                opened?.close()
                throw error
            }
        }
        guard let opened else { throw PhoneError(.factorMissing, "an approval needs a passphrase or a passkey") }
        return opened
    }

    /// Signs the approval with the device key. A key of the vault is in memory only during this call.
    ///
    /// - Returns: nil where the phone is not paired.
    private func signature(
        of wanted: Executable, _ verifications: [any UserVerification], _ secrets: VaultSecretStore
    ) async throws -> SignedApproval? {
        guard let pairing = broker.settings.pairing else { return nil }
        let summary = ApprovalSummary(
            envelope: wanted.envelope, deviceID: pairing.deviceID, script: wanted.script.digest.hex,
            verifiedBy: RequirementCheck.factors(of: verifications))
        let approval: SignedApproval
        do {
            approval = try await PhoneConnection.withDeviceKey(in: secrets, of: keys) { key in
                try await summary.signed(for: pairing.server.id, with: key)
            }
        } catch let error as PhoneError where error.code == .deviceKeyUnusable {
            try await recordRefusal(of: wanted.envelope.requestID, error)
            throw error
        }
        try await store.audit.record(
            AuditEvent(
                .approvalSigned, requestID: wanted.envelope.requestID.description,
                details: [
                    "device": .string(pairing.deviceID.description), "script": .string(approval.script),
                    "verified_by": .array(approval.verifiedBy.sorted().map { .string($0.rawValue) }),
                    "signature": .string(approval.signature.description),
                ], time: now))
        return approval
    }

    private func recordRefusal(of id: RequestID, _ error: PhoneError) async throws {
        try await store.audit.record(
            AuditEvent(
                .approvalRefused, severity: .warning, requestID: id.description,
                details: ["message": .string(error.message)], time: now))
    }

    // MARK: The decision

    private func decide(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneDatabase.Change,
        approval: SignedApproval? = nil
    ) async throws -> DecisionAnswer {
        try await queue.run { try await self.decideInTurn(id, decision, moving: status, change, approval) }
    }

    private func decideInTurn(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneDatabase.Change,
        _ approval: SignedApproval?
    ) async throws -> DecisionAnswer {
        guard try await store.claim(id, decision: decision, at: now) else {
            guard let stored = try await store.request(id) else {
                throw PhoneError(.unknownRequest, "request \(id.short) is unknown")
            }
            try await requests.expire()
            throw PhoneError(
                .notPending, "request \(id.short) is already decided, or its time is over (\(stored.status.rawValue))")
        }
        let decisionID = try await store.decisionID(of: id)
        let answer: DecisionAnswer
        do {
            answer = try await send(decision, for: id, named: decisionID, approval: approval)
        } catch {
            guard try await reconciliation.settle(decision, of: id, refusedWith: error) else {
                throw try await explanation(of: error, for: id)
            }
            answer = .taken
        }
        if case .waiting(let approvals, let needed) = answer {
            let requirement = Requirement(factors: [.deviceSignature], devices: needed, reasons: [])
            let known = try await store.request(id)?.needs.requirement ?? .none
            try await store.markApprovedHere(
                id, for: RequestNeeds(requirement: known.merged(with: requirement), approvals: approvals), at: now)
            events.send(.changed(id, .pendingApproval))
            return answer
        }
        guard try await store.move(id, from: .pendingApproval, to: status, at: now, change) else {
            throw PhoneError(.notPending, "request \(id.short) was changed in the meantime")
        }
        events.send(.changed(id, status))
        return answer
    }

    /// Returns the error for the person whose decision the broker did not take.
    private func explanation(of refusal: PhoneError, for id: RequestID) async throws -> PhoneError {
        if refusal.status == 403 { try await recordRefusal(of: id, refusal) }
        switch refusal.requestStatus {
        case nil, .pendingApproval, .expired: return refusal
        default:
            let status = try await store.request(id)?.status.rawValue ?? "unknown"
            return PhoneError(
                .notPending, "request \(id.short) was decided before and is \(status): \(refusal.message)")
        }
    }

    /// Sends a decision; when the answer got lost, once more.
    ///
    /// - Throws: `brokerMalformed` for as long as the broker may have heard it, or hear it yet.
    private func send(
        _ decision: Decision, for id: RequestID, named decisionID: Nonce?, approval: SignedApproval?
    ) async throws(PhoneError) -> DecisionAnswer {
        let now = now
        let call = { @Sendable (client: PhoneBrokerClient) async throws(PhoneError) -> DecisionAnswer in
            try await client.decide(id, decision, approval: approval, decisionID: decisionID, at: now)
        }
        do {
            return try await broker.call(call)
        } catch  where error.code == .brokerMalformed {
            do {
                return try await broker.call(call)
            } catch
                where error.code == .brokerConflict && decision.canLead(to: error.requestStatus)
                && error.isAbout(decisionID)
            {
                do {
                    return try await answerOfFirstTry(decision, of: id)
                } catch {
                    throw PhoneError(.brokerMalformed, error.message)
                }
            } catch  where error.requestStatus == nil || error.requestStatus == .pendingApproval {
                throw PhoneError(.brokerMalformed, error.message)
            }
        }
    }

    /// Finds out what the broker answered to the first try of a decision, whose answer got lost.
    private func answerOfFirstTry(_ decision: Decision, of id: RequestID) async throws(PhoneError) -> DecisionAnswer {
        guard decision == .approve, broker.isPaired else { return .taken }
        let list = try await broker.call { (client) async throws(PhoneError) in try await client.pending() }
        guard let entry = list.entries.first(where: { $0.envelope.claimedRequestID == id.description }),
            entry.isApprovedHere, let needs = try? entry.needs()
        else { return .taken }
        return .waiting(approvals: needs.approvals, needed: needs.requirement.devices)
    }
}

extension PhoneError {
    /// Tells whether the decision that counts at the broker can be this one. A broker that names none leaves it open.
    fileprivate func isAbout(_ own: Nonce?) -> Bool { decisionID == nil || decisionID == own }
}

extension Decision {
    /// Tells whether this decision can have brought a request to a state; nil stands for a broker that names none.
    fileprivate func canLead(to status: RequestStatus?) -> Bool {
        switch self {
        case .approve: [nil, .approved].contains(status)
        case .deny: [nil, .denied].contains(status)
        }
    }
}
