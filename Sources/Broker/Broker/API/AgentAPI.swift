import BrokerStore
import Clocks
import Encodings
import Foundation
import Hummingbird
import Logging
import Messages

/// The agent's routes (specification, section 10.1).
struct AgentAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let banks: BankStore
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let phoneChanges: PhoneChanges
    let issuer: RequestIssuer
    let polls: WaitingPolls<AgentName>
    let logger: Logger
    let filed: FiledPlaces
    let policy: CurrentPolicy
    /// Receives every new request that waits for approval.
    let nudge: @Sendable (RequestEnvelope) -> Void

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("request") { request, context in
            try await create(try await request.decoded(AgentRequestBody.init(json:)), by: try context.callingAgent())
        }
        router.get("request/:id") { request, context in
            let query = QueryFields(request)
            return try await status(
                try context.requestID(), wait: try query.whole("wait", in: 0...60) ?? 0,
                isOwn: try query.whole("own", in: 0...1) == 1, for: try context.callingAgent())
        }
        router.delete("request/:id") { _, context in
            try await withdraw(try context.requestID(), by: try context.callingAgent())
        }
        router.get("banks") { _, context in try await listBanks(for: try context.callingAgent()) }
        router.get("requests") { request, context in
            try await list(QueryFields(request), for: try context.callingAgent())
        }
    }

    /// Lists the banks that the agent may ask for, as far as a person has said when they allowed it.
    private func listBanks(for agent: AgentName) async throws -> Response {
        let list = try await banks.known(withDefaultDevice: true).list
        guard let allowed = try await policy.banks(of: agent) else { return .json(list.json) }
        return .json(BankList(list.banks.filter { allowed.contains($0.bankID) }).json)
    }

    private func create(_ body: AgentRequestBody, by agent: AgentName) async throws -> Response {
        // A request whose time is over must not count as one that waits.
        try await timekeeper.sweep()
        let known = try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
        var earlier: RequestRecord?
        if let key = body.agentRequestID { earlier = try await store.request(of: agent, named: key) }
        let wanted = try WantedRequest(
            body, of: known, ownBank: configuration.bankID, repeatedBank: try earlier?.bankID)
        if let earlier { return try await again(earlier, wanted) }
        try await policy.check(wanted, by: agent, at: timekeeper.clock.now)
        switch try await issuer.issue(
            wanted, of: known, for: agent, atMost: configuration.limits.undecidedPerAgent,
            dailyAtMost: try await policy.rules(of: agent).requestsPerDay(of: agent))
        {
        case .issued(let envelope):
            nudge(envelope)
            return .json(wanted.telling(envelope.receipt, of: known).json, status: .accepted)
        case .complete(let record): return .json(record.receipt.json, status: .accepted)
        case .folded(let record):
            // The card says who else asks.
            phoneChanges.announce()
            return .json(wanted.telling(record.receipt, of: known).json, status: .accepted)
        case .repeated(let earlier): return try await again(earlier, wanted)
        }
    }

    /// Returns the answer to `GET /request/{id}`.
    private func summary(of record: RequestRecord, for agent: AgentName) async throws -> RequestSummary {
        var summary = record.summary
        if record.type == RequestEnvelope.documentsType {
            summary.documents = try await store.documents(of: record.id).map(\.summary)
        }
        let ways = try await policy.rules(of: agent).fileWays(of: agent)
        return await filed.named(in: [summary])[0].shown(in: ways)
    }

    /// Repeats the first answer: `agent_request_id` is an idempotency key.
    private func again(_ earlier: RequestRecord, _ wanted: WantedRequest) async throws -> Response {
        let isSame =
            switch wanted.subject {
            case .statement: try earlier.subject == wanted.subject
            case .documents(let selection):
                try await store.documents(of: earlier.id).filter(\.isAsked).map(\.id)
                    == selection.items(ofBank: wanted.bankID).map(\.id)
            }
        guard isSame, try earlier.bankID == wanted.bankID else {
            throw APIError.conflict("this agent_request_id was used for another month, year or bank")
        }
        logger.info("request repeated", metadata: ["request": "\(earlier.id)"])
        return .json(earlier.receipt.json, status: .accepted)
    }

    /// Ends a request that waits, because its agent does not want it any more.
    private func withdraw(_ id: RequestID, by agent: AgentName) async throws -> Response {
        try await timekeeper.sweep()
        guard let record = try await store.request(id), try await store.isAsked(record, by: agent) else {
            throw APIError.unknownRequest
        }
        guard try await store.withdraw(id, by: agent, at: timekeeper.clock.now) else {
            if record.status == .pendingApproval, record.errorCode == nil {
                throw APIError.conflict("another agent asks for the same, so the request goes on")
            }
            throw APIError.conflict(with: record.status)
        }
        await changes.announce(id)
        phoneChanges.announce()
        logger.info("request withdrawn", metadata: ["request": "\(id)", "agent": "\(agent)"])
        return .json(try await summary(of: try await store.request(id) ?? record, for: agent).json)
    }

    /// - Parameters:
    ///   - wait: the number of seconds to wait for the status to change before answering.
    ///   - isOwn: answers only for a request that this agent asked for, and with its times.
    private func status(_ id: RequestID, wait: Int, isOwn: Bool, for agent: AgentName) async throws -> Response {
        if wait > 0 { try polls.enter(agent, for: wait) }
        defer { if wait > 0 { polls.leave(agent) } }
        // Listen before the first look, so that no change is missed in between.
        let change = wait > 0 ? await changes.listen(to: id) : nil
        defer { change?.cancel() }
        try await timekeeper.sweep()
        guard var record = try await store.request(id) else { throw APIError.unknownRequest }
        guard try await mayRead(record, agent, isOwn: isOwn) else { throw APIError.unknownRequest }
        if let change, !record.status.isTerminal {
            await change.wait(atMost: .seconds(wait))
            try await timekeeper.sweep()
            record = try await store.request(id) ?? record
        }
        var summary = try await summary(of: record, for: agent)
        if isOwn {
            (summary.createdAt, summary.updatedAt) = (record.createdAt, record.updatedAt)
            summary.approvalExpiresAt = record.approvalExpiresAt.description
        }
        return .json(summary.json, status: record.status.isTerminal ? .ok : .accepted)
    }

    /// Returns whether an agent may read a request. A request of another agent does not exist for it.
    ///
    /// The specification knows one agent, and answers the holder of `BROKER_API_TOKEN` for every request (section 10.1). Agents
    /// with tokens of their own read what they asked for, first or while it waited.
    private func mayRead(_ record: RequestRecord, _ agent: AgentName, isOwn: Bool) async throws -> Bool {
        if agent == .standard, !isOwn { return true }
        return try await store.isAsked(record, by: agent)
    }

    private func list(_ query: QueryFields, for agent: AgentName) async throws -> Response {
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
        let records = try await store.requests(
            status, askedBy: agent == .standard ? nil : agent, after: start, limit: limit + 1)
        let ways = try await policy.rules(of: agent).fileWays(of: agent)
        let shown = records.prefix(limit)
        let counts = try await store.documentCounts(of: shown.filter { $0.status == .completed }.map(\.id))
        let page = RequestPage(
            items: await filed.named(in: try shown.map { try $0.listing(counts[$0.id]) })
                .map { $0.shown(in: ways).json },
            nextCursor: records.count > limit ? records[limit - 1].place.description : nil)
        return .json(page.json)
    }
}

extension WantedRequest {
    /// Adds to a receipt how many phones can fetch this, where there are several.
    fileprivate func telling(_ receipt: RequestSummary, of known: KnownBanks) -> RequestSummary {
        var receipt = receipt
        let count = known.fetchers(bankID, subject).count
        if count > 1 { receipt.phones = count }
        return receipt
    }
}

extension RequestEnvelope {
    /// The answer to the `POST /request` that made it.
    var receipt: RequestSummary {
        var receipt = RequestSummary(id: requestID, status: .pendingApproval)
        receipt.createdAt = issuedAt.description
        receipt.approvalExpiresAt = approvalExpiresAt.description
        return receipt
    }
}

extension RequestRecord {
    /// The answer to a `POST /request` that this request answers again.
    var receipt: RequestSummary {
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
                errorMessage ?? errorCode.flatMap(ErrorCode.init(rawValue:)).map(RunFailureWords.explanation)
            summary.bankSaysUntrusted = phoneSays.map(RunFailureWords.cleaned)
        }
        return summary
    }

    /// The request as an item of `GET /requests`.
    ///
    /// - Parameter documents: the counts of a completed request for several.
    fileprivate func listing(_ documents: (delivered: Int, asked: Int)?) throws -> RequestSummary {
        var summary = summary
        summary.bankID = try bankID
        (summary.documentsDelivered, summary.documentsAsked) = (documents?.delivered, documents?.asked)
        summary.createdAt = createdAt
        summary.updatedAt = updatedAt
        summary.approvalExpiresAt = approvalExpiresAt.description
        summary.parameters = try parameters
        return summary
    }
}

extension RequestDocument {
    /// The document as a member of `GET /request/{id}`.
    fileprivate var summary: DocumentSummary {
        var summary = DocumentSummary(id: id, place)
        summary.filePath = filePath
        summary.sha256 = sha256
        summary.bytes = bytes
        summary.errorCode = errorCode
        if let errorCode {
            summary.errorMessage = ErrorCode(rawValue: errorCode).map(RunFailureWords.explanation)
            summary.bankSaysUntrusted = phoneSays.map(RunFailureWords.cleaned)
        }
        return summary
    }
}
