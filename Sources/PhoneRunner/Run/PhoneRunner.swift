import AuditLog
import Automation
import BankScript
import Foundation
import JSON
import Secrets
import Signer

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
    let connection: PhoneConnection
    let services: PhoneServices
    let broker: PhoneBrokerClient
    let review: EnvelopeReview
    let publisher: any StatementPublisher
    let announcements = PhoneEvents()
    let queue = RunQueue()
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
        self.connection = connection
        self.services = services
        store = try PhoneStore(home)
        broker = PhoneBrokerClient(
            baseURL: connection.brokerURL, token: connection.token, configuration: services.brokerHTTP)
        review = EnvelopeReview(secret: connection.sharedSecret, scripts: services.scripts)
        self.publisher =
            publisher ?? InboxStatementPublisher(folder: connection.inbox, secret: connection.sharedSecret)
    }

    /// What happens from now on. Each call gives a stream of its own.
    public func events() -> AsyncStream<PhoneEvent> { announcements.stream() }

    var now: Date { services.clock.now }

    // MARK: Looking

    /// Asks the broker, verifies what it says, and remembers what may be shown.
    public func refresh() async throws -> Review {
        let envelopes = try await broker.pending()
        try await reportWhatIsOwed()
        try await decisions.run { try await self.settleDecisions() }
        try await expire()
        try await store.forget(at: now)
        var refused: [Refusal] = []
        for envelope in envelopes.prefix(Self.mostEnvelopes) {
            if let refusal = try await consider(envelope) { refused.append(refusal) }
        }
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
        for stored in try await store.requests([.pendingApproval]) {
            guard let verified = try? verified(stored), var request = try? review.pending(verified) else { continue }
            if let script = try? review.script(for: verified), script.asksVault {
                request.answeringToken = links.first { $0.bankID == script.id }
            }
            result.append(request)
        }
        return result.sorted { ($0.expiresAt, $0.id.description) < ($1.expiresAt, $1.id.description) }
    }

    private func consider(_ envelope: SignedEnvelope) async throws -> Refusal? {
        do {
            let verified = try review.verified(envelope, at: now)
            switch try await store.admit(verified, at: now) {
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

    private func expire() async throws {
        for id in try await store.expire(at: now) { announcements.send(.changed(id, .expired)) }
    }

    // MARK: Deciding

    /// Says no.
    public func deny(_ id: RequestID) async throws {
        try await decide(id, .deny, moving: .denied, PhoneStore.Change(errorCode: "DENIED_BY_USER"))
    }

    /// Says yes, and runs exactly the script that was shown; returns when the statement is delivered or the run has
    /// failed.
    ///
    /// - Parameters:
    ///   - request: as it was shown; its script digest is what runs.
    ///   - verification: opens the vault for this one run.
    /// - Throws: when the person could not be verified or the decision could not be made; the request stays as it is.
    public func approve(_ request: PendingRequest, with verification: any UserVerification) async throws -> RunOutcome {
        let run = try await accept(request, with: verification)
        return await perform(run)
    }

    /// The first half of ``approve(_:with:)``: after it the request is approved, and has to be performed.
    public func accept(_ request: PendingRequest, with verification: any UserVerification) async throws -> ApprovedRun {
        let (script, envelope) = try await executable(request)
        let reason = "Fetch the statement \(request.period) from \(request.bankName)"
        let secrets: VaultSecretStore
        do {
            secrets = try await verification.open(home.vault, reason: reason)
        } catch {
            try await store.audit.record(
                AuditEvent(
                    "verification.failed", severity: .warning, requestID: request.id.description,
                    details: ["message": .string(ReportText.cleaned("\(error)"))], time: now))
            throw error
        }
        // Should the decision fail, the last reference goes and the vault closes with it.
        try await decide(request.id, .approve, moving: .approved, PhoneStore.Change(scriptDigest: script.digest.hex))
        return ApprovedRun(envelope: envelope, script: script, secrets: secrets)
    }

    /// The second half: runs the script when its turn has come, and closes the vault.
    public func perform(_ run: ApprovedRun) async -> RunOutcome {
        defer { run.secrets.close() }
        return await queue.run { await self.execute(run) }
    }

    private func executable(_ request: PendingRequest) async throws -> (BankScript, RequestEnvelope) {
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
        return (script, verified.envelope)
    }

    private func decide(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneStore.Change
    ) async throws {
        try await decisions.run { try await self.decideInTurn(id, decision, moving: status, change) }
    }

    private func decideInTurn(
        _ id: RequestID, _ decision: Decision, moving status: RequestStatus, _ change: PhoneStore.Change
    ) async throws {
        guard try await store.claim(id, decision: decision, at: now) else {
            guard let stored = try await store.request(id) else {
                throw PhoneError(.unknownRequest, "there is no request \(id.short)")
            }
            try await expire()
            throw PhoneError(
                .notPending, "request \(id.short) is decided already, or its time is over (\(stored.status.rawValue))")
        }
        do {
            try await send(decision, for: id)
        } catch let error where error.code == .expired {
            _ = try await store.move(
                id, from: .pendingApproval, to: .expired, at: now, PhoneStore.Change(errorCode: "APPROVAL_EXPIRED"))
            announcements.send(.changed(id, .expired))
            throw error
        } catch let error where error.code == .brokerMalformed {
            // It may have heard it: the next refresh finds out.
            throw error
        } catch {
            try await store.unclaim(id)
            throw error
        }
        guard try await store.move(id, from: .pendingApproval, to: status, at: now, change) else {
            throw PhoneError(.notPending, "request \(id.short) was changed by someone else meanwhile")
        }
        announcements.send(.changed(id, status))
    }

    /// Sends a decision; when the answer got lost, once more. That the broker has moved on the second time means that
    /// it heard the first.
    private func send(_ decision: Decision, for id: RequestID) async throws(PhoneError) {
        do {
            try await broker.decide(id, decision, at: now)
        } catch  where error.code == .brokerMalformed {
            do {
                try await broker.decide(id, decision, at: now)
            } catch  where error.code == .brokerConflict {
                return
            } catch  where error.code == .brokerUnreachable {
                throw PhoneError(.brokerMalformed, error.message)
            }
        }
    }
}
