import Foundation
import Hummingbird
import JSON
import Signer

/// The agent's routes (specification, section 10.1).
struct AgentAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let clock: BrokerClock
    let changes: RequestChanges
    /// Is told of a request that waits for approval.
    let nudge: @Sendable (RequestEnvelope) -> Void

    func addRoutes(to router: some RouterMethods<BasicRequestContext>) {
        router.post("request") { request, _ in try await create(request) }
        router.get("request/:id") { request, context in
            let wait = request.uri.queryParameters.get("wait")
            return try await status(try context.requestID(), wait: wait.map { String($0) })
        }
        router.get("requests") { request, _ in try await list(request) }
    }

    private func create(_ request: Request) async throws -> Response {
        let body = try await RequestBody(request)
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
        if let key, let earlier = try await store.request(ofAgent: key) { return try Self.again(earlier, period) }

        let now = Timestamp(clock.now)
        let envelope = RequestEnvelope(
            bankID: configuration.bankID, period: period, issuedAt: now,
            approvalExpiresAt: Timestamp(now.date.addingTimeInterval(configuration.approvalTTL.inSeconds)))
        let signed = envelope.signed(with: configuration.sharedSecret)
        guard try await store.insert(envelope, signed: signed, agentRequestID: key) else {
            // Another request with the same key came in between.
            guard let key, let earlier = try await store.request(ofAgent: key) else { throw APIError.unknownRequest }
            return try Self.again(earlier, period)
        }
        nudge(envelope)
        return .json(
            Self.receipt(
                envelope.requestID, .pendingApproval, createdAt: now.description,
                expiresAt: envelope.approvalExpiresAt),
            status: .accepted)
    }

    /// `agent_request_id` is an idempotency key: the same body is answered as the first time.
    private static func again(_ earlier: RequestRecord, _ period: MonthYear) throws -> Response {
        guard earlier.parameters["month"]?.intValue == period.month, earlier.parameters["year"]?.intValue == period.year
        else { throw APIError.conflict("this agent_request_id was used for another month or year") }
        return .json(
            receipt(
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

    /// - Parameter wait: whole seconds up to 60 for which an answer is held back until the status changes.
    private func status(_ id: RequestID, wait: String?) async throws -> Response {
        var seconds = 0
        if let wait {
            guard let number = Int(wait), (0...60).contains(number) else {
                throw APIError.invalid("wait", "no whole number of seconds from 0 to 60")
            }
            seconds = number
        }
        // Listening begins before the first look, so that no change falls between the two.
        let change = await changes.listen(to: id)
        defer { change.cancel() }
        try await store.endOverdue(at: clock.now)
        guard var record = try await store.request(id) else { throw APIError.unknownRequest }
        if seconds > 0, !record.status.isTerminal {
            await change.wait(atMost: .seconds(seconds))
            try await store.endOverdue(at: clock.now)
            record = try await store.request(id) ?? record
        }
        return .json(record.answer, status: record.status.isTerminal ? .ok : .accepted)
    }

    private func list(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        var limit = 50
        if let text = query.get("limit") {
            guard let number = Int(text), (1...200).contains(number) else {
                throw APIError.invalid("limit", "no whole number from 1 to 200")
            }
            limit = number
        }
        var status: RequestStatus?
        if let text = query.get("status") {
            guard let known = RequestStatus(rawValue: String(text)) else {
                throw APIError.invalid("status", "no state")
            }
            status = known
        }
        try await store.endOverdue(at: clock.now)
        let records = try await store.requests(status, limit: limit)
        return .json(["requests": .array(records.map(\.listing))])
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

    var listing: JSONValue {
        guard case .object(var members) = answer else { return answer }
        members["created_at"] = .string(createdAt)
        members["updated_at"] = .string(updatedAt)
        members["approval_expires_at"] = .string(approvalExpiresAt.description)
        members["params"] = parameters
        return .object(members)
    }
}

extension BasicRequestContext {
    /// The `:id` of the route.
    func requestID() throws(APIError) -> RequestID {
        guard let id = parameters.get("id").flatMap({ RequestID(String($0)) }) else { throw .unknownRequest }
        return id
    }
}

/// Hummingbird has a `RequestID` of its own; here it is the specification's.
public typealias RequestID = Signer.RequestID

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
