import AuditLog
import Automation
import BankScript
import DeviceTrust
import Files
import Foundation
import JSON
import Messages
import Secrets
import Signer
import Synchronization

/// The trusted side: pulls requests, verifies them, shows them, and runs what the person approves.
///
///     let runner = try PhoneRunner(home: home, connection: connection, services: services)
///     try await runner.recover()
///     let review = try await runner.refresh()
///     let outcome = try await runner.approve(
///         review.pending[0], with: PassphraseVerification(passphrase))
///
/// One process at a time has a home; within it one request runs at a time.
public final class PhoneRunner: Sendable {
    /// The most envelopes of one list that are looked at.
    static let mostEnvelopes = 200

    public let home: PhoneHome
    public let store: PhoneStore
    let services: PhoneServices
    let way: BrokerWay
    let announcements = PhoneEvents()
    let queue = RunQueue()
    /// One rotation at a time: what two had agreed on would not be known to both sides.
    let rotations = RunQueue()
    /// What is approved and performed by this process.
    let underWay = Mutex<Set<RequestID>>([])
    /// One decision at a time is on its way, or looked into.
    let decisions = RunQueue()
    private let lock: FileLock

    /// - Parameter publisher: the connection's inbox when nil.
    /// - Throws: ``PhoneError``; `homeBusy` when another process has the home.
    public init(
        home: PhoneHome, connection: PhoneConnection, services: PhoneServices,
        publisher: (any StatementPublisher)? = nil
    ) throws {
        lock = try home.claim()
        self.home = home
        self.services = services
        store = try PhoneStore(home)
        way = BrokerWay(connection, services: services, publisher: publisher)
    }

    var connection: PhoneConnection { way.connection }
    var review: EnvelopeReview { way.review }
    var publisher: any StatementPublisher { way.publisher }

    /// What happens from now on. Each call gives a stream of its own.
    public func events() -> AsyncStream<PhoneEvent> { announcements.stream() }

    var now: Date { services.clock.now }

    // MARK: Looking

    /// Asks the broker, verifies what it says, and remembers what may be shown.
    public func refresh() async throws -> Review {
        let list = try await ask { (broker) async throws(PhoneError) in try await broker.pending() }
        way.isAskedToRotate = list.asksForRotation
        let envelopes = list.entries
        try await reportWhatIsOwed()
        try await decisions.run {
            try await self.settleDecisions()
            try await self.settleLateApprovals(list)
        }
        try await settleRuns()
        try await expire()
        try await store.forget(at: now)
        var refused: [Refusal] = []
        for envelope in envelopes.prefix(Self.mostEnvelopes) {
            if let refusal = try await consider(envelope) { refused.append(refusal) }
        }
        try await handOver(list)
        let unread = max(0, envelopes.count - Self.mostEnvelopes)
        if unread > 0 {
            try await store.audit.record(
                AuditEvent(
                    "broker.flood", severity: .warning, details: ["requests": .number(Double(envelopes.count))],
                    time: now))
        }
        return Review(pending: try await pending(), refused: refused, unread: unread)
    }

    /// The requests that wait for a decision, as far as the phone knows them; soonest to expire first.
    ///
    /// Each is verified anew from what was stored: a change in the database is as good as a forged envelope.
    public func pending() async throws -> [PendingRequest] {
        try await expire()
        var result: [PendingRequest] = []
        let links = try await store.linkedTokens()
        let policy = try policy()
        for stored in try await store.requests([.pendingApproval]) {
            guard let verified = try? verified(stored), var request = try? review.pending(verified) else { continue }
            if let script = try? review.script(for: verified), script.asksVault {
                request.answeringToken = links.first { $0.bankID == script.id }
            }
            let needs = stored.needs
            request.requirement = needs.requirement.merged(with: policy.requirement(of: request))
            request.approvals = needs.approvals
            request.isApprovedHere = needs.isApprovedHere
            result.append(request)
        }
        return result.sorted { ($0.expiresAt, $0.id.description) < ($1.expiresAt, $1.id.description) }
    }

    private func consider(_ entry: PendingList.Entry) async throws -> Refusal? {
        let envelope = entry.envelope
        do {
            let verified = try review.verified(envelope, at: now)
            switch try await store.admit(verified, needs: try entry.needs(), at: now) {
            case .admitted: announcements.send(.arrived(try review.pending(verified)))
            case .known: break
            case .replayed: throw MessageError(.replayed, "its nonce or id was used before, by another request")
            }
            return nil
        } catch let error as MessageError {
            let refusal = try await store.refuse(
                envelope, reason: error.code.rawValue, message: ReportText.cleaned(error.message), at: now)
            announcements.send(.refused(refusal))
            return refusal
        }
    }

    func verified(_ stored: StoredRequest) throws -> VerifiedEnvelope {
        let verified = try review.verified(try stored.signedEnvelope(), at: now)
        guard verified.envelope.requestID == stored.id, verified.envelope.period == stored.period,
            verified.envelope.bankID == stored.bankID
        else {
            throw PhoneError(.unverifiable, "the stored request \(stored.id.short) is not the one that was signed")
        }
        return verified
    }

    func expire() async throws {
        for id in try await store.expire(at: now) { announcements.send(.changed(id, .expired)) }
    }
}
