import BrokerStore
import Foundation
import Hummingbird
import Logging
import Messages

/// The phone's routes by which its owner asks for documents. Such a request is signed, shown and approved like an agent's.
struct OwnerRequestsAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let agents: AgentStore
    let banks: BankStore
    let issuer: RequestIssuer
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let phoneChanges: PhoneChanges
    let logger: Logger

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.post("phone/requests") { request, context in
            try await ask(try await request.decoded(AgentRequestBody.init(json:)), by: try context.caller())
        }
        router.post("phone/requests/:id/again") { _, context in
            try await repeatRequest(try context.requestID(), by: try context.caller())
        }
    }

    private func known() async throws -> KnownBanks {
        try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
    }

    private func ask(_ body: AgentRequestBody, by caller: CallingDevice) async throws -> Response {
        // An agent with this name from before it was kept for the owner would get the owner's documents.
        guard try await !agents.agents().contains(where: { $0.name == .owner }) else {
            throw APIError.conflict(
                "an agent is called “\(AgentName.owner)”, which is now the name of what the owner asks for; remove it with: "
                    + "countersign agent remove \(AgentName.owner), and add it under another name")
        }
        try await timekeeper.sweep()
        let known = try await known()
        let wanted = try WantedRequest(body, of: known, ownBank: configuration.bankID)
        try wanted.check(against: known, at: timekeeper.clock.now)
        guard known.has(caller.name, wanted.bankID) else {
            throw APIError.invalid("bank_id", "not a bank of this phone, as far as it has told")
        }
        return try await issue(wanted, of: known, for: .owner, by: caller)
    }

    /// Asks anew for what a request did not bring, for the agent that asked then.
    private func repeatRequest(_ id: RequestID, by caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        let known = try await known()
        guard let record = try await store.request(id) else { throw APIError.unknownRequest }
        let (bank, subject) = (try record.bankID, try record.subject)
        let lacked = subject.lackedKind
        // Of a kind that this broker lacks it does not know whether the phone has it.
        let isOwn = lacked == nil ? known.concerns(caller.name, bank, subject) : known.has(caller.name, bank)
        guard isOwn else { throw APIError.unknownRequest }
        if let lacked { throw APIError.lacking(lacked) }
        guard [.failed, .expired, .denied].contains(record.status) else {
            throw APIError.conflict(
                "the request is \(record.status.rawValue); only one that brought nothing is repeated")
        }
        do {
            return try await issue(
                try WantedRequest(again: record, ownBank: configuration.bankID), of: known, for: record.agent,
                by: caller)
        } catch let error as APIError where error.status == .badRequest {
            throw APIError.conflict("the request cannot be repeated now: \(error.message)")
        }
    }

    private func issue(
        _ wanted: WantedRequest, of known: KnownBanks, for agent: AgentName, by caller: CallingDevice
    ) async throws -> Response {
        // The owner asks, so no agent's limit counts.
        let receipt: RequestSummary
        switch try await issuer.issue(wanted, of: known, for: agent, atMost: .max) {
        case .issued(let envelope):
            receipt = envelope.receipt
            logger.info(
                "the owner asks", metadata: ["request": "\(envelope.requestID)", "device": "\(caller.name)"])
            await changes.announce(envelope.requestID)
        case .complete(let record), .repeated(let record): receipt = record.receipt
        case .folded(let record):
            phoneChanges.announce()
            receipt = record.receipt
        }
        return .json(receipt.json, status: .accepted)
    }
}
