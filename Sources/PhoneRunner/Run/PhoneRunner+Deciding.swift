import AuditLog
import Automation
import BankScript
import DeviceTrust
import Foundation
import JSON
import KeyVault
import Messages
import Secrets

/// What became of an approval.
public enum Acceptance: Sendable {
    /// To be performed now.
    case run(ApprovedRun)
    /// So many of the needed devices have approved; the one that completes the number runs.
    case waiting(approvals: Int, needed: Int)
}

extension PhoneRunner {
    /// Says no.
    public func deny(_ id: RequestID) async throws {
        _ = try await decide(id, .deny, moving: .denied, PhoneStore.Change(errorCode: .deniedByUser))
    }

    /// Says yes, and runs exactly the script that was shown; returns when the statement is delivered or the run has
    /// failed.
    ///
    /// - Parameters:
    ///   - request: as it was shown; its script digest is what runs.
    ///   - verifications: each opens the vault for this one run; more than one where the request needs them.
    /// - Throws: when the person could not be verified or the decision could not be made; the request stays as it is.
    public func approve(
        _ request: PendingRequest, with verifications: any UserVerification...
    ) async throws -> RunOutcome {
        switch try await accept(request, with: verifications) {
        case .run(let run): await perform(run)
        case .waiting(let approvals, let needed): .waiting(approvals: approvals, needed: needed)
        }
    }

    /// The first half of ``approve(_:with:)``: after it the request is approved, and has to be performed.
    public func accept(
        _ request: PendingRequest, with verifications: [any UserVerification]
    ) async throws -> Acceptance {
        let wanted = try await executable(request)
        let policy = try policy().requirement(of: request)
        let needs = wanted.needs.requirement.merged(with: policy)
        try await refusing(request) { () throws(PhoneError) in
            try checkDevices(needs, policy: policy, broker: wanted.needs.requirement)
            try check(needs, shownBy: verifications)
        }
        let secrets = try await open(verifications, for: request)
        try await rotateIfAsked(secrets)
        let approval = try await signature(of: wanted, verifications, secrets)
        underWay.withLock { _ = $0.insert(request.id) }
        let answer: DecisionAnswer
        do {
            // Should the decision fail, the last reference goes and the vault closes with it.
            answer = try await decide(
                request.id, .approve, moving: .approved, PhoneStore.Change(scriptDigest: wanted.script.digest.hex),
                approval: approval)
        } catch {
            underWay.withLock { _ = $0.remove(request.id) }
            throw error
        }
        if case .waiting(let approvals, let needed) = answer {
            underWay.withLock { _ = $0.remove(request.id) }
            secrets.close()
            return .waiting(approvals: approvals, needed: needed)
        }
        return .run(ApprovedRun(envelope: wanted.envelope, script: wanted.script, secrets: secrets))
    }

    /// The second half: runs the script when its turn has come, and closes the vault.
    public func perform(_ run: ApprovedRun) async -> RunOutcome {
        defer {
            run.secrets.close()
            underWay.withLock { _ = $0.remove(run.id) }
        }
        return await queue.run { await self.execute(run) }
    }

    private struct Executable {
        let script: BankScript
        let envelope: RequestEnvelope
        let needs: RequestNeeds
    }

    /// Opens the vault by each verification: one that fails is as good as none.
    private func open(
        _ verifications: [any UserVerification], for request: PendingRequest
    ) async throws -> VaultSecretStore {
        let reason = "Fetch the statement \(request.period) from \(request.bankName)"
        var opened: VaultSecretStore?
        for verification in verifications {
            do {
                let secrets = try await verification.open(home.vault, reason: reason)
                opened?.close()
                opened = secrets
            } catch {
                opened?.close()
                try await store.audit.record(
                    AuditEvent(
                        "verification.failed", severity: .warning, requestID: request.id.description,
                        details: ["message": .string(ReportText.cleaned("\(error)"))], time: now))
                throw error
            }
        }
        guard let opened else { throw PhoneError(.factorMissing, "an approval needs a passphrase or a passkey") }
        return opened
    }

    /// What the device key says of this approval; nil where the phone was not paired. The key is in memory for the time
    /// of this call.
    private func signature(
        of wanted: Executable, _ verifications: [any UserVerification], _ secrets: VaultSecretStore
    ) async throws -> SignedApproval? {
        guard let pairing = connection.pairing else { return nil }
        let key = try await PhoneConnection.deviceKey(in: secrets)
        defer { key.secret.wipe() }
        let summary = ApprovalSummary(
            envelope: wanted.envelope, deviceID: pairing.deviceID, script: wanted.script.digest.hex,
            verifiedBy: Self.factors(of: verifications))
        let approval = try await summary.signed(for: pairing.server.id, with: key)
        try await store.audit.record(
            AuditEvent(
                "approval.signed", requestID: wanted.envelope.requestID.description,
                details: [
                    "device": .string(pairing.deviceID.description), "script": .string(approval.script),
                    "verified_by": .array(approval.verifiedBy.sorted().map { .string($0.rawValue) }),
                    "signature": .string(approval.signature.description),
                ], time: now))
        return approval
    }

    private func executable(_ request: PendingRequest) async throws -> Executable {
        guard let stored = try await store.request(request.id) else {
            throw PhoneError(.unknownRequest, "there is no request \(request.id.short)")
        }
        guard stored.status == .pendingApproval else {
            throw PhoneError(.notPending, "request \(request.id.short) is \(stored.status.rawValue) already")
        }
        guard stored.approvalExpiresAt > now else {
            try await expire()
            throw PhoneError(.expired, "the time for request \(request.id.short) is over; ask for it again")
        }
        let verified = try verified(stored)
        let script = try review.script(for: verified)
        guard script.digest == request.script else {
            throw PhoneError(.scriptChanged, "the script has changed since it was shown; look at the request again")
        }
        guard !stored.needs.isApprovedHere else {
            throw PhoneError(.notPending, "request \(request.id.short) is approved here; it waits for another device")
        }
        return Executable(script: script, envelope: verified.envelope, needs: stored.needs)
    }

    private func decide(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneStore.Change,
        approval: SignedApproval? = nil
    ) async throws -> DecisionAnswer {
        try await decisions.run { try await self.decideInTurn(id, decision, moving: status, change, approval) }
    }

    private func decideInTurn(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneStore.Change,
        _ approval: SignedApproval?
    ) async throws -> DecisionAnswer {
        guard try await store.claim(id, decision: decision, at: now) else {
            guard let stored = try await store.request(id) else {
                throw PhoneError(.unknownRequest, "there is no request \(id.short)")
            }
            try await expire()
            throw PhoneError(
                .notPending, "request \(id.short) is decided already, or its time is over (\(stored.status.rawValue))")
        }
        let answer: DecisionAnswer
        do {
            answer = try await send(decision, for: id, approval: approval)
        } catch let error where error.requestStatus == .expired {
            try await follow(error, of: id)
            throw error
        } catch let error where error.requestStatus != nil && error.requestStatus != .pendingApproval {
            answer = try await self.answer(to: decision, of: id, insteadOf: error)
        } catch let error where error.code == .brokerMalformed {
            // It may have heard it: the next refresh finds out.
            throw error
        } catch {
            try await store.unclaim(id)
            if error.status == 403 { try await recordRefusal(of: id, error) }
            throw error
        }
        if case .waiting(let approvals, let needed) = answer {
            let requirement = Requirement(factors: [.deviceSignature], devices: needed, reasons: [])
            let known = try await store.request(id)?.needs.requirement ?? .none
            try await store.wait(
                id, for: RequestNeeds(requirement: known.merged(with: requirement), approvals: approvals), at: now)
            announcements.send(.changed(id, .pendingApproval))
            return answer
        }
        guard try await store.move(id, from: .pendingApproval, to: status, at: now, change) else {
            throw PhoneError(.notPending, "request \(id.short) was changed by someone else meanwhile")
        }
        announcements.send(.changed(id, status))
        return answer
    }

    /// What a decision has come to that the broker refuses because the request is decided already. It may be this very
    /// decision, which it has heard before.
    private func answer(
        to decision: Decision, of id: RequestID, insteadOf refusal: PhoneError
    ) async throws -> DecisionAnswer {
        switch (decision, refusal.requestStatus) {
        case (.deny, .denied): return .taken
        case (.approve, .approved) where try await store.isUnanswered(id): return .taken
        default:
            try await follow(refusal, of: id)
            let status = try await store.request(id)?.status.rawValue ?? "unknown"
            throw PhoneError(
                .notPending, "request \(id.short) was decided before, and is \(status): \(refusal.message)")
        }
    }

    /// Sends a decision; when the answer got lost, once more.
    ///
    /// - Throws: `brokerMalformed` for as long as the broker may have heard it, or hear it yet.
    private func send(
        _ decision: Decision, for id: RequestID, approval: SignedApproval?
    ) async throws(PhoneError) -> DecisionAnswer {
        let now = now
        let call = { @Sendable (broker: PhoneBrokerClient) async throws(PhoneError) -> DecisionAnswer in
            try await broker.decide(id, decision, approval: approval, at: now)
        }
        do {
            return try await ask(call)
        } catch  where error.code == .brokerMalformed {
            do {
                return try await ask(call)
            } catch  where error.code == .brokerConflict && decision.fits(error.requestStatus) {
                do {
                    return try await heard(decision, of: id)
                } catch {
                    throw PhoneError(.brokerMalformed, error.message)
                }
            } catch  where error.requestStatus == nil || error.requestStatus == .pendingApproval {
                throw PhoneError(.brokerMalformed, error.message)
            }
        }
    }

    /// What the first try of a decision has come to.
    private func heard(_ decision: Decision, of id: RequestID) async throws(PhoneError) -> DecisionAnswer {
        guard decision == .approve, connection.pairing != nil else { return .taken }
        let list = try await ask { (broker) async throws(PhoneError) in try await broker.pending() }
        guard let entry = list.entries.first(where: { $0.envelope.claimedRequestID == id.description }),
            entry.isApprovedHere, let needs = try? entry.needs()
        else { return .taken }
        return .waiting(approvals: needs.approvals, needed: needs.requirement.devices)
    }
}

extension Decision {
    /// Whether a request that stands there may have come there by this decision; nil where the broker does not say.
    fileprivate func fits(_ status: RequestStatus?) -> Bool {
        switch self {
        case .approve: [nil, .approved].contains(status)
        case .deny: [nil, .denied].contains(status)
        }
    }
}
