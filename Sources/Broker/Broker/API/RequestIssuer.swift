import BrokerStore
import Clocks
import Foundation
import Logging
import Messages
import Signer

/// Makes signed requests: for agents and the owner, who ask, and for offers that the owner opens.
struct RequestIssuer: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let timekeeper: Timekeeper
    let approvals: SignedApprovals
    let logger: Logger

    enum Outcome: Sendable {
        /// A new request waits for approval.
        case issued(RequestEnvelope)
        /// Everything is there already: a request that is complete.
        case complete(RequestRecord)
        /// The agent has used this name before.
        case repeated(RequestRecord)
        /// A request for the same waits already.
        case folded(RequestRecord)
    }

    /// Checks a request against what the phones have, and stores it.
    ///
    /// - Parameters:
    ///   - most: the number of undecided requests that the agent may have.
    ///   - daily: the number of new requests that the agent may make within 24 hours; nil for any.
    /// - Throws: `APIError` with the reason and what there is.
    func issue(
        _ wanted: WantedRequest, of known: KnownBanks, for agent: AgentName, atMost most: Int,
        dailyAtMost daily: Int? = nil
    ) async throws -> Outcome {
        try wanted.check(against: known, at: timekeeper.clock.now)
        let documents = try await documents(of: wanted, known, for: agent)
        let subject = Self.rest(of: wanted.subject, documents)
        if let subject,
            let refusal = try await approvals.unavailability(
                bankID: wanted.bankID, subject: subject, of: agent, known)
        {
            throw refusal
        }
        let now = Timestamp(timekeeper.clock.now)
        let envelope = RequestEnvelope(
            bankID: wanted.bankID, subject: subject ?? wanted.subject, issuedAt: now,
            approvalExpiresAt: Timestamp(now.date.addingTimeInterval(configuration.approvalTTL.seconds)),
            client: agent == .standard ? nil : agent, reason: wanted.reason)
        let signed = envelope.signed(with: try configuration.recordSecret)
        guard subject != nil else { return try await storeComplete(envelope, signed, wanted, documents) }
        let limits = configuration.limits
        switch try await store.insert(
            envelope, signed: signed, agentRequestID: wanted.key, atMost: most, namesAtMost: limits.namesPerRequest,
            dailyAtMost: daily, documents: documents)
        {
        case .inserted: break
        case .repeated(let earlier): return .repeated(earlier)
        case .folded(let waiting):
            logger.info(
                "request folded into one that waits", metadata: ["request": "\(waiting.id)", "agent": "\(agent)"])
            return .folded(waiting)
        case .tooManyNames(let end):
            throw APIError.rateLimited(
                Self.seconds(from: now, to: end),
                "the request for this month waits, and has \(limits.namesPerRequest) names of this agent")
        case .tooManyToday(let end):
            throw APIError.rateLimited(
                Self.seconds(from: now, to: end),
                "the owner's policy allows the agent “\(agent)” \(daily ?? 0) requests within 24 hours")
        case .tooMany(let end):
            throw APIError.rateLimited(
                Self.seconds(from: now, to: end),
                "\(limits.undecidedPerAgent) requests of this agent wait for the person's decision")
        }
        logger.info(
            "request created",
            metadata: [
                "request": "\(envelope.requestID)", "period": "\(envelope.subject.words)", "agent": "\(agent)",
                "agent_request_id": "\(wanted.key ?? "-")",
            ])
        return .issued(envelope)
    }

    private static func seconds(from now: Timestamp, to end: Timestamp) -> Int {
        max(1, Int(end.date.timeIntervalSince(now.date).rounded(.up)))
    }

    // MARK: Several documents

    /// Returns the documents that are asked for, with those that the agent has already. An earlier file may be of another person's
    /// login, so it counts only where one phone alone may fetch the documents, and has fetched that file.
    private func documents(
        of wanted: WantedRequest, _ known: KnownBanks, for agent: AgentName
    ) async throws -> [WantedDocument] {
        guard case .documents(let selection) = wanted.subject else { return [] }
        let items = selection.items(ofBank: wanted.bankID)
        let fetchers = known.possibleFetchers(wanted.bankID, wanted.subject)
        var earlier: [DocumentID: RequestDocument] = [:]
        if !wanted.refetches, let only = fetchers.first, fetchers.count == 1 {
            earlier = try await store.earlierDocuments(items.map(\.id), of: agent, fetchedBy: only)
        }
        let there = earlier.filter { _, document in document.filePath.map { access($0, R_OK) == 0 } ?? false }
        return items.map { WantedDocument($0, earlier: there[$0.id]) }
    }

    /// Returns the part of a subject that has to be fetched; nil when everything is there.
    private static func rest(of subject: RequestSubject, _ documents: [WantedDocument]) -> RequestSubject? {
        guard case .documents = subject else { return subject }
        return DocumentSelection(documents.filter { $0.earlier == nil }.map(\.item.place)).map { .documents($0) }
    }

    /// Stores a request whose documents are all there. Without a visit to the bank, it needs no approval.
    private func storeComplete(
        _ envelope: RequestEnvelope, _ signed: SignedEnvelope, _ wanted: WantedRequest, _ documents: [WantedDocument]
    ) async throws -> Outcome {
        if let earlier = try await store.insertComplete(
            envelope, signed: signed, agentRequestID: wanted.key, namesAtMost: configuration.limits.namesPerRequest,
            documents: documents)
        {
            return .repeated(earlier)
        }
        logger.info("request answered with documents that are there", metadata: ["request": "\(envelope.requestID)"])
        guard let record = try await store.request(envelope.requestID) else { throw APIError.unknownRequest }
        return .complete(record)
    }
}
