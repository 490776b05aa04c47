import BrokerStore
import DeviceTrust
import Encodings
import Foundation
import Hummingbird
import Logging
import Messages
import Notifications
import Signer

/// The phone's routes (specification, section 10.2, and the start of an execution).
struct PhoneAPI: Sendable {
    let configuration: BrokerConfiguration
    let store: RequestStore
    let banks: BankStore
    let timekeeper: Timekeeper
    let changes: RequestChanges
    let phoneChanges: PhoneChanges
    let registry: DeviceRegistry
    let approvals: SignedApprovals
    let language: OwnerLanguage
    let owner: OwnerStore
    let notices: OwnerNotices
    let logger: Logger

    func addRoutes(to router: some RouterMethods<BrokerContext>) {
        router.get("phone/requests/pending") { _, context in try await pending(for: try context.caller()) }
        router.post("phone/requests/:id/decision") { request, context in
            try await decide(
                try context.requestID(), try await request.decoded(DecisionBody.init(json:)), by: try context.caller())
        }
        router.post("phone/requests/:id/started") { request, context in
            // The body says nothing that the broker needs, except from phones that name their decision.
            let body = (try? await request.json()) ?? .null
            return try await started(
                try context.requestID(), StartedBody.decisionID(in: body), by: try context.caller())
        }
        router.post("phone/check") { request, context in
            try await proveSecret(try await request.decoded(SecretCheck.init(json:)), by: try context.caller())
        }
        router.post("phone/requests/:id/failure") { request, context in
            try await fail(
                try context.requestID(), try await request.decoded(FailureBody.init(json:)), by: try context.caller())
        }
        router.post("phone/device/rotate") { request, context in
            try await rotate(try await request.json(), by: try context.caller())
        }
        router.put("phone/banks") { request, context in
            try await takeBanks(try await request.decoded(BankList.init(json:)), from: try context.caller())
        }
        router.get("phone/devices") { _, context in try await devices(for: try context.caller()) }
        router.post("phone/devices/:device/remove") { request, context in
            guard let id = context.parameters.get("device").flatMap({ DeviceID($0) }) else { throw Self.unknownDevice }
            return try await remove(id, try await request.json(), by: try context.caller())
        }
    }

    private func takeBanks(_ list: BankList, from caller: CallingDevice) async throws -> Response {
        try await banks.replace(list, of: caller.name)
        let told = try await owner.language(
            afterPhone: caller.name, says: OwnerLanguage.language(of: list.language)?.rawValue)
        await language.learn(told, from: .page)
        notices.consents()
        return .json(list.json)
    }

    /// Proves to the phone that both have the same secret; see ``SecretProof``.
    private func proveSecret(_ check: SecretCheck, by caller: CallingDevice) async throws -> Response {
        let secret = try registry.secret(of: caller)
        guard SecretProof.isValid(check.signature, by: .phone, of: check.nonce, with: secret) else {
            throw APIError(.forbidden, .unauthorized, "the phone signs with another secret")
        }
        let signature = SecretProof.signature(by: .broker, of: check.nonce, with: secret)
        return .json(SecretCheckAnswer(signature: signature).json)
    }

    private func pending(for caller: CallingDevice) async throws -> Response {
        // Before the list is read, so that a change in between is one after the mark.
        let mark = phoneChanges.mark(for: caller.name)
        try await timekeeper.sweep()
        let known = try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
        let records = try await store.requests(.pendingApproval, limit: 200).filter { record in
            // One for a kind of documents whose plug-in this broker lacks since its restart must not keep the others back.
            guard let subject = try? record.subject, subject.lackedKind == nil else { return false }
            return known.concerns(caller.name, try record.bankID, subject)
        }
        let approved = try await approvals.pending()
        let others = try await store.otherAgents(of: records.map(\.id))
        let envelopes =
            switch caller {
            case .standard: try Dictionary(uniqueKeysWithValues: records.map { ($0.id, try $0.envelope) })
            case .paired(let device): try await registry.envelopes(of: records, for: device)
            }
        let names = Dictionary(
            uniqueKeysWithValues: try await registry.devices.devices().map { ($0.id.description, $0.name) })
        let entries = try records.compactMap { record -> PendingList.Entry? in
            guard let envelope = envelopes[record.id] else { return nil }
            let requirement = try approvals.requirement(of: record, others: others[record.id] ?? [])
            let by = approved[record.id] ?? ([], [])
            return PendingList.Entry(
                envelope: SignedEnvelope(json: envelope), requirement: requirement.json(approvals: by.keys.count),
                isApprovedHere: by.devices.contains(caller.name),
                alsoAskedBy: Array((others[record.id] ?? []).prefix(PendingList.Entry.otherAgentsAtMost)),
                alsoOn: Array(
                    known.fetchers(try record.bankID, try record.subject).filter { $0 != caller.name }
                        .map { names[$0] ?? $0 }.sorted().prefix(PendingList.Entry.otherPhonesAtMost)))
        }
        let list = PendingList(
            entries: entries, asksForRotation: caller.paired?.isRotationRequested == true, mark: mark)
        return .json(list.json)
    }

    /// Refuses a decision by a device that does not have the bank and the accounts: a request is its owner's alone.
    private func check(_ caller: CallingDevice, mayDecide id: RequestID) async throws {
        guard let record = try await store.request(id), record.status == .pendingApproval else { return }
        let subject = try record.subject
        if let kind = subject.lackedKind { throw APIError.lacking(kind) }
        let known = try await banks.known(withDefaultDevice: configuration.defaultDevice != nil)
        guard known.concerns(caller.name, try record.bankID, subject) else {
            throw APIError(
                .forbidden, .otherDevice, "this request is for another device: this one has not told of its bank")
        }
    }

    private func decide(_ id: RequestID, _ body: DecisionBody, by caller: CallingDevice) async throws -> Response {
        try await timekeeper.sweep()
        try await check(caller, mayDecide: id)
        let now = timekeeper.clock.now
        switch (body.decision, caller) {
        case (.approve, .standard):
            if let record = try await store.request(id), let refusal = try await approvals.refusalOfUnsigned(record) {
                throw refusal
            }
            guard
                try await store.approve(
                    id, at: now, timeout: configuration.executionTimeout, by: DeviceStore.defaultDeviceName,
                    decisionID: body.id)
            else {
                throw try await refusal(of: id)
            }
        case (.approve, .paired(let device)):
            let outcome = try await approvals.approve(
                id, by: device, try Self.approval(in: body), at: now, timeout: configuration.executionTimeout,
                decisionID: body.id)
            switch outcome {
            case .approved: break
            case .counted(let count, let needed):
                phoneChanges.announce()
                logger.info(
                    "request approved by one device", metadata: ["request": "\(id)", "device": "\(caller.name)"])
                return .json(ApprovalCount(approvals: count, needed: needed).json(of: id), status: .accepted)
            case .refused(let error):
                throw error.status == .conflict ? try await refusal(of: id, otherwise: error) : error
            }
        case (.deny, _):
            guard
                try await store.move(
                    id, from: .pendingApproval, to: .denied, at: now, error: (.deniedByUser, nil), by: caller.name)
            else { throw try await refusal(of: id) }
        }
        logger.info(
            body.decision == .approve ? "request approved" : "request denied",
            metadata: ["request": "\(id)", "device": "\(caller.name)"])
        await changes.announce(id)
        return try await state(of: id, echoing: body.id)
    }

    private static func approval(in body: DecisionBody) throws(APIError) -> SignedApproval {
        guard let json = body.approval else { throw .missing("approval") }
        do {
            return try SignedApproval(json: json)
        } catch {
            throw APIError(.badRequest, .invalidField, error.message)
        }
    }

    /// Agrees on new credentials with a paired device. The old ones work until it uses the new token.
    private func rotate(_ message: JSONValue, by caller: CallingDevice) async throws -> Response {
        guard let device = caller.paired else {
            throw APIError.conflict(
                "the token and the secret of the default device are settings of the broker; change them there")
        }
        do {
            let answer = try await registry.rotate(device, message: message, at: timekeeper.clock.now)
            logger.info("new credentials agreed on", metadata: ["device": "\(caller.name)"])
            return .json(answer)
        } catch let error as TrustError {
            throw APIError(.badRequest, .invalidField, error.message)
        }
    }

    // MARK: Devices

    private static let unknownDevice = APIError(.notFound, .notFound, "no paired device has that ID")

    /// Returns the device that calls. The default device cannot sign, and so manages no devices.
    private static func paired(_ caller: CallingDevice) throws(APIError) -> PairedDevice {
        guard let device = caller.paired else {
            throw APIError.conflict("the default device cannot sign; pair the phone to manage devices from it")
        }
        return device
    }

    private func devices(for caller: CallingDevice) async throws -> Response {
        _ = try Self.paired(caller)
        return .json(["devices": .array(try await registry.devices.devices().map(\.json))])
    }

    /// Removes a device as another one asks, whose signature the owner's verification has released.
    private func remove(_ id: DeviceID, _ body: JSONValue, by caller: CallingDevice) async throws -> Response {
        let device = try Self.paired(caller)
        let now = timekeeper.clock.now
        do {
            _ = try DeviceRemoval(
                body: body, of: id, by: device.id, key: device.publicKey, server: approvals.server, at: now)
        } catch {
            let isForged = error.code == .badSignature
            if isForged {
                try await registry.devices.recordRefusedRemoval(of: id, by: device.id, error.message, at: now)
            }
            throw APIError(
                isForged ? .forbidden : .badRequest, isForged ? .signatureInvalid : .invalidField, error.message)
        }
        let failed: [Messages.RequestID]
        do {
            failed = try await registry.devices.remove(id, by: device.id)
        } catch is DeviceNameError {
            throw Self.unknownDevice
        }
        logger.warning("device removed", metadata: ["device": "\(id)", "by": "\(device.id)"])
        for request in failed { await changes.announce(request) }
        return .json(["failed_requests": .array(failed.map { .string($0.description) })])
    }

    private func started(
        _ id: RequestID, _ decisionID: Nonce?, by caller: CallingDevice
    ) async throws -> Response {
        try await timekeeper.sweep()
        try await check(caller, decisionID, runs: id)
        guard try await store.start(id, at: timekeeper.clock.now) else {
            var refusal = try await refusal(of: id)
            // The device that runs a request asks again before each document, to hear whether the request still stands.
            refusal.isRoutine = refusal.standing == .executing
            throw refusal
        }
        logger.info("execution started", metadata: ["request": "\(id)"])
        await changes.announce(id)
        return try await state(of: id)
    }

    /// Checks that the caller is the device that approved last: only that one runs a request and reports about it. Two
    /// machines with the same token differ in the decision that they name.
    private func check(_ caller: CallingDevice, _ decisionID: Nonce?, runs id: RequestID) async throws {
        let counting = try await store.request(id)?.decisionID
        let isOther = if let counting, let decisionID { counting != decisionID } else { false }
        guard !isOther, try await approvals.isRun(id, by: caller) else {
            throw APIError(.forbidden, .otherDevice, "another device runs this request")
        }
    }

    private func fail(_ id: RequestID, _ body: FailureBody, by caller: CallingDevice) async throws -> Response {
        let now = timekeeper.clock.now
        try await timekeeper.sweep()
        try await check(caller, body.decisionID, runs: id)
        for state in [RequestStatus.executing, .approved]
        where try await store.fail(
            id, from: state, at: now, (body.code, RunFailureWords.explanation(of: body.code)), phoneSays: body.message)
        {
            logger.info(
                "request failed",
                metadata: [
                    "request": "\(id)", "error_code": "\(body.code.rawValue)",
                    "error_message": "\(body.message ?? "-")",
                ])
            await changes.announce(id)
            return try await self.state(of: id)
        }
        throw try await refusal(of: id)
    }

    private func state(of id: RequestID, echoing decisionID: Nonce? = nil) async throws -> Response {
        guard let record = try await store.request(id) else { throw APIError.unknownRequest }
        var summary = RequestSummary(id: id, status: record.status)
        summary.decisionID = decisionID
        return .json(summary.json)
    }

    /// Returns the reason why a transition did not happen.
    private func refusal(of id: RequestID, otherwise error: APIError? = nil) async throws -> APIError {
        try await timekeeper.sweep()
        guard let record = try await store.request(id) else { return .unknownRequest }
        if record.status == .expired {
            await changes.announce(id)
            return APIError(.requestTimeout, .approvalExpired, "the time for approval has run out")
        }
        if let error, record.status == .pendingApproval { return error }
        return .conflict(with: record.status, decisionID: record.decisionID)
    }
}
