import Automation
import Clocks
import DeviceTrust
import Foundation
import Messages
import PhoneStore
import Secrets
import Signer
import Storage

/// The requests that wait for a decision: each is verified before it is stored, and again before it is shown.
struct PendingRequests: Sendable {
    /// The most envelopes of one list that the phone reads.
    static let envelopeLimit = 200

    let home: PhoneHome
    let store: PhoneDatabase
    let broker: BrokerConnection
    let events: PhoneEvents
    let clock: any RunClock

    /// Verifies the broker's list, stores what may be shown, and ends what another device carries on.
    ///
    /// - Returns: the envelopes that may not be shown, and how many were left out because there were too many.
    func admit(_ list: PendingList) async throws -> (refused: [Refusal], unread: Int) {
        var refused: [Refusal] = []
        for entry in list.entries.prefix(Self.envelopeLimit) {
            if let refusal = try await admit(entry) { refused.append(refusal) }
        }
        for id in try await store.handOver(except: list.requestIDs, at: clock.now) {
            events.send(.changed(id, .expired))
        }
        let unread = max(0, list.entries.count - Self.envelopeLimit)
        if unread > 0 {
            try await store.audit.record(
                AuditEvent(
                    .brokerFlood, severity: .warning, details: ["requests": .number(Double(list.entries.count))],
                    time: clock.now))
        }
        return (refused, unread)
    }

    private func admit(_ entry: PendingList.Entry) async throws -> Refusal? {
        let envelope = entry.envelope
        let review = broker.review
        do {
            let verified = try review.verified(envelope, at: clock.now)
            let admission = try await store.admit(verified, needs: try entry.needs(), at: clock.now)
            if admission != .replayed {
                let own = verified.envelope.client ?? .standard
                try await store.noteOtherAgents(
                    entry.alsoAskedBy.filter { $0 != own }, of: verified.envelope.requestID)
                try await store.noteOtherPhones(entry.alsoOn, of: verified.envelope.requestID)
            }
            switch admission {
            case .admitted: events.send(.arrived(try review.pending(verified)))
            case .known: break
            case .replayed: throw MessageError(.replayed, "its nonce or id was used before, by another request")
            }
            return nil
        } catch let error as MessageError {
            let refusal = try await store.refuse(
                envelope, reason: error.code.rawValue, message: ReportText.cleaned(error.message), at: clock.now)
            events.send(.refused(refusal))
            return refusal
        }
    }

    /// Returns the requests that may be shown, the soonest to expire first.
    ///
    /// Each is verified anew from the stored envelope, so that a changed database counts as a forged envelope.
    func all() async throws -> [PendingRequest] {
        try await expire()
        var result: [PendingRequest] = []
        let links = try await store.linkedTokens()
        let others = try await store.otherAgents()
        let phones = try await store.otherPhones()
        let own = try await store.ownAsks()
        let policy = try PhonePolicy(of: home)
        let review = broker.review
        for stored in try await store.requests([.pendingApproval]) {
            guard let verified = try? verified(stored), var request = try? review.pending(verified) else { continue }
            if let script = try? review.script(for: verified), script.asksVault {
                request.answeringToken = links.first { $0.bankID == script.id }
            }
            request.isAskedHere = own[request.id]?.covers(request.subject, ofBank: request.bankID) == true
            request.hold = try await store.hold(onBank: request.bankID)
            request.alsoAskedBy = others[request.id] ?? []
            request.alsoOn = phones[request.id] ?? []
            let needs = stored.needs
            request.requirement = needs.requirement.merged(with: policy.requirement(of: request))
            request.approvals = needs.approvals
            request.isApprovedHere = needs.isApprovedHere
            result.append(request)
        }
        return result.sorted { ($0.expiresAt, $0.id.description) < ($1.expiresAt, $1.id.description) }
    }

    /// Verifies a stored envelope and that the other columns still agree with it.
    func verified(_ stored: StoredRequest) throws -> VerifiedEnvelope {
        let verified = try broker.review.verified(try stored.signedEnvelope(), at: clock.now)
        guard verified.envelope.requestID == stored.id, verified.envelope.subject == stored.subject,
            verified.envelope.bankID == stored.bankID
        else {
            throw PhoneError(.unverifiable, "the stored request \(stored.id.short) is not the one that was signed")
        }
        return verified
    }

    /// Ends the requests whose time for approval is over.
    func expire() async throws {
        for id in try await store.expire(at: clock.now) { events.send(.changed(id, .expired)) }
    }
}
