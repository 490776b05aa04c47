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
    let logger: Logger

    /// The codes that a phone may report (specification, section 16).
    private static let failureCodes: Set = [
        "BANK_LOGIN_FAILED", "BANK_2FA_TIMEOUT", "NAVIGATION_FAILED", "PDF_DOWNLOAD_FAILED", "ICLOUD_WRITE_FAILED",
        "EXECUTION_TIMEOUT",
    ]

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/requests/pending") { _, _ in try await pending() }
        router.post("phone/requests/:id/decision") { request, context in
            try await decide(try context.requestID(), try await RequestBody(request))
        }
        router.post("phone/requests/:id/started") { _, context in try await started(try context.requestID()) }
        router.post("phone/check") { request, _ in try await proveSecret(try await RequestBody(request)) }
        router.post("phone/requests/:id/failure") { request, context in
            try await fail(try context.requestID(), try await RequestBody(request))
        }
    }

    /// Shows the phone that both have the same secret; see ``SecretProof``.
    private func proveSecret(_ body: RequestBody) async throws -> Response {
        guard let nonce = Nonce(try body.text("nonce", atMost: 64)) else { throw APIError.invalid("nonce", "no nonce") }
        let secret = configuration.sharedSecret
        guard SecretProof.isValid(try body.text("signature", atMost: 100), by: .phone, of: nonce, with: secret) else {
            throw APIError(.forbidden, "UNAUTHORIZED", "the phone signs with another secret")
        }
        return .json(["signature": .string(SecretProof.signature(by: .broker, of: nonce, with: secret))])
    }

    private func pending() async throws -> Response {
        try await timekeeper.sweep()
        let records = try await store.requests(.pendingApproval, limit: 200)
        return .json(["requests": .array(try records.map { ["envelope": try $0.envelope] })])
    }

    private func decide(_ id: RequestID, _ body: RequestBody) async throws -> Response {
        let decision = try body.text("decision", atMost: 16)
        _ = try body.time("decided_at")
        try await timekeeper.sweep()
        let now = timekeeper.clock.now
        let isDone: Bool
        switch decision {
        case "APPROVE":
            isDone = try await store.approve(id, at: now, timeout: configuration.executionTimeout)
        case "DENY":
            isDone = try await store.move(
                id, from: .pendingApproval, to: .denied, at: now, error: ("DENIED_BY_USER", nil))
        default: throw APIError.invalid("decision", "neither APPROVE nor DENY")
        }
        guard isDone else { throw try await refusal(of: id) }
        logger.info(decision == "APPROVE" ? "request approved" : "request denied", metadata: ["request": "\(id)"])
        await changes.announce(id)
        return try await state(of: id)
    }

    private func started(_ id: RequestID) async throws -> Response {
        try await timekeeper.sweep()
        guard try await store.start(id, at: timekeeper.clock.now) else { throw try await refusal(of: id) }
        logger.info("execution started", metadata: ["request": "\(id)"])
        await changes.announce(id)
        return try await state(of: id)
    }

    private func fail(_ id: RequestID, _ body: RequestBody) async throws -> Response {
        let code = try body.text("error_code", atMost: 64)
        guard Self.failureCodes.contains(code) else {
            throw APIError.invalid("error_code", "none of: \(Self.failureCodes.sorted().joined(separator: ", "))")
        }
        let message = try body.optionalText("error_message", atMost: 2000)
        _ = try body.time("failed_at")
        let now = timekeeper.clock.now
        try await timekeeper.sweep()
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
    private func refusal(of id: RequestID) async throws -> APIError {
        try await timekeeper.sweep()
        guard let record = try await store.request(id) else { return .unknownRequest }
        if record.status == .expired {
            await changes.announce(id)
            return APIError(.requestTimeout, "APPROVAL_EXPIRED", "the time for approval is over")
        }
        return .conflict("the request is \(record.status.rawValue)")
    }
}
