import Clocks
import Foundation
import Hummingbird
import JSON
import Logging
import Signer

/// The agent's routes (specification, section 10.1).
struct AgentAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let approvals: SignedApprovals
    let logger: Logger
    /// Is told of a request that waits for approval.
    let nudge: @Sendable (RequestEnvelope) -> Void

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("request") { request, _ in try await create(try await RequestBody(request)) }
        router.get("request/:id") { request, context in
            let wait = try QueryFields(request).whole("wait", in: 0...60) ?? 0
            return try await status(try context.requestID(), wait: wait)
        }
        router.get("requests") { request, _ in try await list(QueryFields(request)) }
    }

    private func create(_ body: RequestBody) async throws -> Response {
        let type = try body.text("type", atMost: 64)
        guard type == RequestEnvelope.statementType else {
            throw APIError(.badRequest, "INVALID_REQUEST_TYPE", "the only type is “statement”")
        }
        let month = try body.whole("month")
        let year = try body.whole("year")
        guard (1...12).contains(month) else { throw APIError.invalid("month", "not from 1 to 12") }
        guard (1990...2100).contains(year), let period = MonthYear(month: month, year: year) else {
            throw APIError.invalid("year", "not from 1990 to 2100")
        }
        let key = try body.optionalText("agent_request_id", atMost: 200)
        guard key?.isEmpty != true else { throw APIError.invalid("agent_request_id", "empty; leave it out") }
        if let key, let earlier = try await store.request(ofAgent: key) { return try again(earlier, period) }
        if let refusal = try await approvals.unavailability(bankID: configuration.bankID, period: period) {
            throw refusal
        }

        let now = Timestamp(timekeeper.clock.now)
        let envelope = RequestEnvelope(
            bankID: configuration.bankID, period: period, issuedAt: now,
            approvalExpiresAt: Timestamp(now.date.addingTimeInterval(configuration.approvalTTL.seconds)))
        let signed = envelope.signed(with: try configuration.recordSecret)
        guard try await store.insert(envelope, signed: signed, agentRequestID: key) else {
            // Another request with the same key came in between.
            guard let key, let earlier = try await store.request(ofAgent: key) else { throw APIError.unknownRequest }
            return try again(earlier, period)
        }
        logger.info(
            "request created",
            metadata: [
                "request": "\(envelope.requestID)", "period": "\(period)", "agent_request_id": "\(key ?? "-")",
            ])
        nudge(envelope)
        return .json(
            Self.receipt(
                envelope.requestID, .pendingApproval, createdAt: now.description,
                expiresAt: envelope.approvalExpiresAt),
            status: .accepted)
    }

    /// `agent_request_id` is an idempotency key: the same body is answered as the first time.
    private func again(_ earlier: RequestRecord, _ period: MonthYear) throws -> Response {
        let parameters = try earlier.parameters
        guard parameters["month"]?.intValue == period.month, parameters["year"]?.intValue == period.year
        else { throw APIError.conflict("this agent_request_id was used for another month or year") }
        logger.info("request repeated", metadata: ["request": "\(earlier.id)"])
        return .json(
            Self.receipt(
                earlier.id, earlier.status, createdAt: earlier.createdAt, expiresAt: earlier.approvalExpiresAt),
            status: .accepted)
    }

    private static func receipt(
        _ id: RequestID, _ status: RequestStatus, createdAt: String, expiresAt: Timestamp
    ) -> JSONValue {
        [
            "request_id": .string(id.description), "status": .string(status.rawValue),
            "created_at": .string(createdAt), "approval_expires_at": .string(expiresAt.description),
        ]
    }

    /// - Parameter wait: for how many seconds an answer is held back until the status changes.
    private func status(_ id: RequestID, wait: Int) async throws -> Response {
        // Listening begins before the first look, so that no change falls between the two.
        let change = wait > 0 ? await changes.listen(to: id) : nil
        defer { change?.cancel() }
        try await timekeeper.sweep()
        guard var record = try await store.request(id) else { throw APIError.unknownRequest }
        if let change, !record.status.isTerminal {
            await change.wait(atMost: .seconds(wait))
            try await timekeeper.sweep()
            record = try await store.request(id) ?? record
        }
        return .json(record.answer, status: record.status.isTerminal ? .ok : .accepted)
    }

    private func list(_ query: QueryFields) async throws -> Response {
        let limit = try query.whole("limit", in: 1...200) ?? 50
        var status: RequestStatus?
        if let text = try query.text("status") {
            guard let known = RequestStatus(rawValue: text) else { throw APIError.invalid("status", "no state") }
            status = known
        }
        var start: RequestStore.Place?
        if let text = try query.text("cursor") {
            guard let place = RequestStore.Place(text) else { throw APIError.invalid("cursor", "no cursor") }
            start = place
        }
        try await timekeeper.sweep()
        // One more than asked for shows whether there is a next page.
        let records = try await store.requests(status, after: start, limit: limit + 1)
        var answer: [String: JSONValue] = ["requests": .array(try records.prefix(limit).map { try $0.listing() })]
        if records.count > limit { answer["next_cursor"] = .string(records[limit - 1].place.description) }
        return .json(.object(answer))
    }
}

extension RequestRecord {
    var answer: JSONValue {
        var members: [String: JSONValue] = [
            "request_id": .string(id.description), "status": .string(status.rawValue),
        ]
        if let resultFilePath { members["file_path"] = .string(resultFilePath) }
        if let resultSHA256 { members["sha256"] = .string(resultSHA256) }
        if let completedAt { members["completed_at"] = .string(completedAt) }
        if let errorCode, status != .denied { members["error_code"] = .string(errorCode) }
        if let errorMessage, status == .failed { members["error_message"] = .string(errorMessage) }
        return .object(members)
    }

    func listing() throws -> JSONValue {
        guard case .object(var members) = answer else { return answer }
        members["created_at"] = .string(createdAt)
        members["updated_at"] = .string(updatedAt)
        members["approval_expires_at"] = .string(approvalExpiresAt.description)
        members["params"] = try parameters
        return .object(members)
    }
}
