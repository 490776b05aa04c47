import DeviceTrust
import Foundation
import Hummingbird
import JSON
import Logging
import Signer

/// The phone's routes (specification, section 10.2, and the start of an execution).
struct PhoneAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let registry: DeviceRegistry
    let approvals: SignedApprovals
    let logger: Logger

    /// The codes that a phone may report (specification, section 16).
    private static let failureCodes: Set = [
        "BANK_LOGIN_FAILED", "BANK_2FA_TIMEOUT", "NAVIGATION_FAILED", "PDF_DOWNLOAD_FAILED", "ICLOUD_WRITE_FAILED",
        "EXECUTION_TIMEOUT",
    ]

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/requests/pending") { _, context in try await pending(for: try context.caller()) }
        router.post("phone/requests/:id/decision") { request, context in
            try await decide(try context.requestID(), try await RequestBody(request), by: try context.caller())
        }
        router.post("phone/requests/:id/started") { _, context in
            try await started(try context.requestID(), by: try context.caller())
        }
        router.post("phone/check") { request, context in
            try await proveSecret(try await RequestBody(request), by: try context.caller())
        }
        router.post("phone/requests/:id/failure") { request, context in
            try await fail(try context.requestID(), try await RequestBody(request), by: try context.caller())
        }
        router.post("phone/device/rotate") { request, context in
            try await rotate(try await RequestBody(request), by: try context.caller())
        }
    }

    /// Shows the phone that both have the same secret; see ``SecretProof``.
    private func proveSecret(_ body: RequestBody, by caller: CallingDevice) async throws -> Response {
        guard let nonce = Nonce(try body.text("nonce", atMost: 64)) else { throw APIError.invalid("nonce", "no nonce") }
        let secret = try registry.secret(of: caller)
        guard SecretProof.isValid(try body.text("signature", atMost: 100), by: .phone, of: nonce, with: secret) else {
            throw APIError(.forbidden, "UNAUTHORIZED", "the phone signs with another secret")
        }
        return .json(["signature": .string(SecretProof.signature(by: .broker, of: nonce, with: secret))])
    }

    private func pending(for caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        let records = try await store.requests(.pendingApproval, limit: 200)
        let approved = try await approvals.pending()
        let envelopes =
            switch caller {
            case .standard: try Dictionary(uniqueKeysWithValues: records.map { ($0.id, try $0.envelope) })
            case .paired(let device): try await registry.envelopes(of: records, for: device)
            }
        let items = try records.compactMap { record -> JSONValue? in
            guard let envelope = envelopes[record.id] else { return nil }
            let requirement = try approvals.requirement(of: record)
            let by = approved[record.id] ?? ([], [])
            var item: [String: JSONValue] = [
                "envelope": envelope, "requirement": requirement.json(approvals: by.keys.count),
            ]
            if by.devices.contains(caller.name) { item["approved"] = true }
            return .object(item)
        }
        var answer: [String: JSONValue] = ["requests": .array(items)]
        if caller.paired?.isRotationRequested == true { answer["rotation_requested"] = true }
        return .json(.object(answer))
    }

    private func decide(_ id: RequestID, _ body: RequestBody, by caller: CallingDevice) async throws -> Response {
        let decision = try body.text("decision", atMost: 16)
        _ = try body.time("decided_at")
        try await timekeeper.sweep()
        let now = timekeeper.clock.now
        switch (decision, caller) {
        case ("APPROVE", .standard):
            if let record = try await store.request(id), let refusal = try approvals.refusalOfUnsigned(record) {
                throw refusal
            }
            guard
                try await store.approve(
                    id, at: now, timeout: configuration.executionTimeout, by: CallingDevice.standardName)
            else {
                throw try await refusal(of: id)
            }
        case ("APPROVE", .paired(let device)):
            let outcome = try await approvals.approve(
                id, by: device, try Self.approval(in: body), at: now, timeout: configuration.executionTimeout)
            switch outcome {
            case .approved: break
            case .counted(let count, let needed):
                logger.info(
                    "request approved by one device", metadata: ["request": "\(id)", "device": "\(caller.name)"])
                return .json(
                    [
                        "request_id": .string(id.description), "status": "PENDING_APPROVAL",
                        "approvals": .number(Double(count)), "needed": .number(Double(needed)),
                    ], status: .accepted)
            case .refused(let error):
                throw error.status == .conflict ? try await refusal(of: id, otherwise: error) : error
            }
        case ("DENY", _):
            guard
                try await store.move(
                    id, from: .pendingApproval, to: .denied, at: now, error: ("DENIED_BY_USER", nil), by: caller.name)
            else { throw try await refusal(of: id) }
        default: throw APIError.invalid("decision", "neither APPROVE nor DENY")
        }
        logger.info(
            decision == "APPROVE" ? "request approved" : "request denied",
            metadata: ["request": "\(id)", "device": "\(caller.name)"])
        await changes.announce(id)
        return try await state(of: id)
    }

    private static func approval(in body: RequestBody) throws(APIError) -> SignedApproval {
        guard let json = body.json["approval"], json != .null else { throw .missing("approval") }
        do {
            return try SignedApproval(json: json)
        } catch {
            throw APIError(.badRequest, "INVALID_FIELD", error.message)
        }
    }

    /// New credentials for a paired device; what it has goes on until it uses the new token.
    private func rotate(_ body: RequestBody, by caller: CallingDevice) async throws -> Response {
        guard let device = caller.paired else {
            throw APIError.conflict("the default device’s token and secret are the broker’s own settings; set new ones")
        }
        do {
            let answer = try await registry.rotate(device, message: body.json, at: timekeeper.clock.now)
            logger.info("new credentials agreed on", metadata: ["device": "\(caller.name)"])
            return .json(answer)
        } catch let error as TrustError {
            throw APIError(.badRequest, "INVALID_FIELD", error.message)
        }
    }

    private func started(_ id: RequestID, by caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        try await check(caller, runs: id)
        guard try await store.start(id, at: timekeeper.clock.now) else { throw try await refusal(of: id) }
        logger.info("execution started", metadata: ["request": "\(id)"])
        await changes.announce(id)
        return try await state(of: id)
    }

    /// Only the device that approved last runs a request, and reports of it.
    private func check(_ caller: CallingDevice, runs id: RequestID) async throws {
        guard try await approvals.isRun(id, by: caller) else {
            throw APIError(.forbidden, "OTHER_DEVICE", "another device runs this request")
        }
    }

    private func fail(_ id: RequestID, _ body: RequestBody, by caller: CallingDevice) async throws -> Response {
        let code = try body.text("error_code", atMost: 64)
        guard Self.failureCodes.contains(code) else {
            throw APIError.invalid("error_code", "none of: \(Self.failureCodes.sorted().joined(separator: ", "))")
        }
        let message = try body.optionalText("error_message", atMost: 2000)
        _ = try body.time("failed_at")
        let now = timekeeper.clock.now
        try await timekeeper.sweep()
        try await check(caller, runs: id)
        for state in [RequestStatus.executing, .approved]
        where try await store.move(id, from: state, to: .failed, at: now, error: (code, message)) {
            logger.info(
                "request failed",
                metadata: ["request": "\(id)", "error_code": "\(code)", "error_message": "\(message ?? "-")"])
            await changes.announce(id)
            return try await self.state(of: id)
        }
        throw try await refusal(of: id)
    }

    private func state(of id: RequestID) async throws -> Response {
        guard let record = try await store.request(id) else { throw APIError.unknownRequest }
        return .json(["request_id": .string(id.description), "status": .string(record.status.rawValue)])
    }

    /// Why a transition did not happen.
    private func refusal(of id: RequestID, otherwise error: APIError? = nil) async throws -> APIError {
        try await timekeeper.sweep()
        guard let record = try await store.request(id) else { return .unknownRequest }
        if record.status == .expired {
            await changes.announce(id)
            return APIError(.requestTimeout, "APPROVAL_EXPIRED", "the time for approval is over")
        }
        if let error, record.status == .pendingApproval { return error }
        return .conflict(with: record.status)
    }
}
