import BrokerStore
import Clocks
import Foundation
import Hummingbird
import JSON
import Logging
import Messages
import Signer

/// The agent's routes (specification, section 10.1).
struct AgentAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let banks: BankStore
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let approvals: SignedApprovals
    let polls: WaitingPolls
    let logger: Logger
    /// Receives every new request that waits for approval.
    let nudge: @Sendable (RequestEnvelope) -> Void

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("request") { request, context in
            try await create(
                try await request.decoded(StatementRequest.init(json:)), by: try context.callingAgent())
        }
        router.get("request/:id") { request, context in
            let wait = try QueryFields(request).whole("wait", in: 0...60) ?? 0
            return try await status(try context.requestID(), wait: wait, for: try context.callingAgent())
        }
        router.get("banks") { _, _ in Response.json(try await banks.banks().json) }
        router.get("requests") { request, _ in try await list(QueryFields(request)) }
    }

    private func create(_ body: StatementRequest, by agent: AgentName) async throws -> Response {
        let period = try body.period
        let key = body.agentRequestID
        // A request whose time is over must not count as one that waits.
        try await timekeeper.sweep()
        let bankID = body.bankID ?? configuration.bankID
        if let key, let earlier = try await store.request(of: agent, named: key) {
            return try again(earlier, period, bankID)
        }
        if let named = body.bankID { try await refuseUnknown(named) }
        guard period <= MonthYear.latest(at: timekeeper.clock.now) else {
            throw APIError.invalid("month", "in the future: \(period) has not begun")
        }
        if let refusal = try await approvals.unavailability(bankID: bankID, period: period) {
            throw refusal
        }

        let now = Timestamp(timekeeper.clock.now)
        let envelope = RequestEnvelope(
            bankID: bankID, period: period, issuedAt: now,
            approvalExpiresAt: Timestamp(now.date.addingTimeInterval(configuration.approvalTTL.seconds)),
            client: agent == .standard ? nil : agent)
        let signed = envelope.signed(with: try configuration.recordSecret)
        switch try await store.insert(
            envelope, signed: signed, agentRequestID: key, atMost: configuration.limits.undecidedPerAgent,
            namesAtMost: configuration.limits.namesPerRequest)
        {
        case .inserted: break
        case .repeated(let earlier): return try again(earlier, period, bankID)
        case .folded(let waiting):
            logger.info(
                "request folded into one that waits", metadata: ["request": "\(waiting.id)", "agent": "\(agent)"])
            return .json(waiting.receipt.json, status: .accepted)
        case .tooManyNames(let end):
            throw APIError.rateLimited(
                Self.seconds(from: now, to: end),
                "the request for this month waits, and has \(configuration.limits.namesPerRequest) names of this agent")
        case .tooMany(let end):
            throw APIError.rateLimited(
                Self.seconds(from: now, to: end),
                "\(configuration.limits.undecidedPerAgent) requests of this agent wait for the person's decision")
        }
        logger.info(
            "request created",
            metadata: [
                "request": "\(envelope.requestID)", "period": "\(period)", "agent": "\(agent)",
                "agent_request_id": "\(key ?? "-")",
            ])
        nudge(envelope)
        var receipt = RequestSummary(id: envelope.requestID, status: .pendingApproval)
        receipt.createdAt = now.description
        receipt.approvalExpiresAt = envelope.approvalExpiresAt.description
        return .json(receipt.json, status: .accepted)
    }

    /// Refuses a bank that no phone offers. The broker's own bank may be named before a phone has told of its banks.
    private func refuseUnknown(_ bankID: String) async throws {
        let known = try await banks.banks().banks.map(\.bankID)
        guard !known.contains(bankID), !(known.isEmpty && bankID == configuration.bankID) else { return }
        let there = known.isEmpty ? [configuration.bankID] : known
        let shown = there.prefix(20).joined(separator: ", ") + (there.count > 20 ? ", …; GET /banks lists all" : "")
        throw APIError.invalid("bank_id", "unknown here; the banks are \(shown)")
    }

    private static func seconds(from now: Timestamp, to end: Timestamp) -> Int {
        max(1, Int(end.date.timeIntervalSince(now.date).rounded(.up)))
    }

    /// Repeats the first answer: `agent_request_id` is an idempotency key.
    private func again(_ earlier: RequestRecord, _ period: MonthYear, _ bankID: String) throws -> Response {
        guard try earlier.period == period, try earlier.bankID == bankID else {
            throw APIError.conflict("this agent_request_id was used for another month, year or bank")
        }
        logger.info("request repeated", metadata: ["request": "\(earlier.id)"])
        return .json(earlier.receipt.json, status: .accepted)
    }

    /// - Parameter wait: the number of seconds to wait for the status to change before answering.
    private func status(_ id: RequestID, wait: Int, for agent: AgentName) async throws -> Response {
        if wait > 0 { try polls.enter(agent, for: wait) }
        defer { if wait > 0 { polls.leave(agent) } }
        // Listen before the first look, so that no change is missed in between.
        let change = wait > 0 ? await changes.listen(to: id) : nil
        defer { change?.cancel() }
        try await timekeeper.sweep()
        guard var record = try await store.request(id) else { throw APIError.unknownRequest }
        if let change, !record.status.isTerminal {
            await change.wait(atMost: .seconds(wait))
            try await timekeeper.sweep()
            record = try await store.request(id) ?? record
        }
        return .json(record.summary.json, status: record.status.isTerminal ? .ok : .accepted)
    }

    private func list(_ query: QueryFields) async throws -> Response {
        let limit = try query.whole("limit", in: 1...200) ?? 50
        var status: RequestStatus?
        if let text = try query.text("status") {
            guard let known = RequestStatus(rawValue: text) else {
                throw APIError.invalid("status", "not a known state")
            }
            status = known
        }
        var start: RequestStore.Place?
        if let text = try query.text("cursor") {
            guard let place = RequestStore.Place(text) else {
                throw APIError.invalid("cursor", "not a cursor of this broker")
            }
            start = place
        }
        try await timekeeper.sweep()
        // One extra record shows whether there is a next page.
        let records = try await store.requests(status, after: start, limit: limit + 1)
        let page = RequestPage(
            items: try records.prefix(limit).map { try $0.listing().json },
            nextCursor: records.count > limit ? records[limit - 1].place.description : nil)
        return .json(page.json)
    }
}

extension RequestRecord {
    /// The answer to a `POST /request` that this request answers again.
    fileprivate var receipt: RequestSummary {
        var receipt = RequestSummary(id: id, status: status)
        receipt.createdAt = createdAt
        receipt.approvalExpiresAt = approvalExpiresAt.description
        return receipt
    }

    /// The answer to `GET /request/{id}`.
    fileprivate var summary: RequestSummary {
        var summary = RequestSummary(id: id, status: status)
        summary.filePath = resultFilePath
        summary.sha256 = resultSHA256
        summary.completedAt = completedAt
        if status != .denied { summary.errorCode = errorCode }
        if status == .failed {
            summary.errorMessage =
                errorMessage ?? errorCode.flatMap(ErrorCode.init(rawValue:)).map(RunFailureWords.sentence)
            summary.bankSaysUntrusted = phoneSays.map(RunFailureWords.cleaned)
        }
        return summary
    }

    /// The request as an item of `GET /requests`.
    fileprivate func listing() throws -> RequestSummary {
        var summary = summary
        summary.createdAt = createdAt
        summary.updatedAt = updatedAt
        summary.approvalExpiresAt = approvalExpiresAt.description
        summary.parameters = try parameters
        return summary
    }
}
