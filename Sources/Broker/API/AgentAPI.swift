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
            try await create(try await request.decoded(AgentRequestBody.init(json:)), by: try context.callingAgent())
        }
        router.get("request/:id") { request, context in
            let wait = try QueryFields(request).whole("wait", in: 0...60) ?? 0
            return try await status(try context.requestID(), wait: wait, for: try context.callingAgent())
        }
        router.get("banks") { _, _ in Response.json(try await banks.banks().json) }
        router.get("requests") { request, _ in try await list(QueryFields(request)) }
    }

    private func create(_ body: AgentRequestBody, by agent: AgentName) async throws -> Response {
        // A request whose time is over must not count as one that waits.
        try await timekeeper.sweep()
        let offers = try await banks.banks().banks
        let wanted = try NewRequest(body, of: offers, ownBank: configuration.bankID)
        let bankID = wanted.bankID ?? configuration.bankID
        if let key = wanted.key, let earlier = try await store.request(of: agent, named: key) {
            return try await again(earlier, wanted.subject, bankID)
        }
        try refuseUnknown(wanted.bankID, for: wanted.subject, among: offers)
        let latest = MonthYear.latest(at: timekeeper.clock.now)
        if let future = wanted.subject.periods.first(where: { $0 > latest }) {
            throw APIError.invalid(wanted.lastMonthField, "in the future: \(future) has not begun")
        }
        let documents = try await documents(of: wanted, bankID, for: agent)
        let subject = Self.rest(of: wanted.subject, documents)
        if let subject, let refusal = try await approvals.unavailability(bankID: bankID, subject: subject) {
            throw refusal
        }

        let now = Timestamp(timekeeper.clock.now)
        let envelope = RequestEnvelope(
            bankID: bankID, subject: subject ?? wanted.subject, issuedAt: now,
            approvalExpiresAt: Timestamp(now.date.addingTimeInterval(configuration.approvalTTL.seconds)),
            client: agent == .standard ? nil : agent)
        let signed = envelope.signed(with: try configuration.recordSecret)
        guard subject != nil else {
            return try await storeComplete(envelope, signed, wanted, documents)
        }
        switch try await store.insert(
            envelope, signed: signed, agentRequestID: wanted.key, atMost: configuration.limits.undecidedPerAgent,
            namesAtMost: configuration.limits.namesPerRequest, documents: documents)
        {
        case .inserted: break
        case .repeated(let earlier): return try await again(earlier, wanted.subject, bankID)
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
                "request": "\(envelope.requestID)", "period": "\(envelope.subject.words)", "agent": "\(agent)",
                "agent_request_id": "\(wanted.key ?? "-")",
            ])
        nudge(envelope)
        var receipt = RequestSummary(id: envelope.requestID, status: .pendingApproval)
        receipt.createdAt = now.description
        receipt.approvalExpiresAt = envelope.approvalExpiresAt.description
        return .json(receipt.json, status: .accepted)
    }

    // MARK: Several documents

    /// Returns the documents that an agent asks for, with those that it has already.
    private func documents(
        of wanted: NewRequest, _ bankID: String, for agent: AgentName
    ) async throws -> [WantedDocument] {
        guard case .documents(let selection) = wanted.subject else { return [] }
        let items = selection.items(ofBank: bankID)
        let earlier = wanted.refetches ? [:] : try await store.earlierDocuments(items.map(\.id), of: agent)
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
        _ envelope: RequestEnvelope, _ signed: SignedEnvelope, _ wanted: NewRequest, _ documents: [WantedDocument]
    ) async throws -> Response {
        if let earlier = try await store.insertComplete(
            envelope, signed: signed, agentRequestID: wanted.key, namesAtMost: configuration.limits.namesPerRequest,
            documents: documents)
        {
            return try await again(earlier, wanted.subject, envelope.bankID)
        }
        logger.info("request answered with documents that are there", metadata: ["request": "\(envelope.requestID)"])
        guard let record = try await store.request(envelope.requestID) else { throw APIError.unknownRequest }
        return .json(record.receipt.json, status: .accepted)
    }

    /// Returns the answer to `GET /request/{id}`.
    private func summary(of record: RequestRecord) async throws -> RequestSummary {
        var summary = record.summary
        if record.type == RequestEnvelope.documentsType {
            summary.documents = try await store.documents(of: record.id).map(\.summary)
        }
        return summary
    }

    /// Refuses a bank that no phone offers, and several documents of a bank that gives one in a visit. The broker's own
    /// bank may be named before a phone has told of its banks.
    private func refuseUnknown(_ named: String?, for subject: RequestSubject, among offers: [OfferedBank]) throws {
        let known = offers.map(\.bankID)
        if let named, !known.contains(named), !(known.isEmpty && named == configuration.bankID) {
            let there = known.isEmpty ? [configuration.bankID] : known
            let shown = there.prefix(20).joined(separator: ", ") + (there.count > 20 ? ", …; GET /banks lists all" : "")
            throw APIError.invalid("bank_id", "unknown here; the banks are \(shown)")
        }
        let bankID = named ?? configuration.bankID
        guard case .documents(let selection) = subject else { return }
        if let bank = offers.first(where: { $0.bankID == bankID && $0.offersDocuments }) {
            return try refuseUnknown(selection, of: bank)
        }
        guard !offers.isEmpty else {
            throw APIError.invalid(
                "bank_id", "not known yet: no phone has told its banks; open the phone, and ask again")
        }
        let able = offers.filter(\.offersDocuments).map(\.bankID)
        throw APIError.invalid(
            "bank_id",
            "“\(bankID)”, which gives one statement in a visit; "
                + (able.isEmpty
                    ? "ask for one month" : "several come from \(able.prefix(20).joined(separator: ", "))"))
    }

    /// Refuses kinds and accounts that the phones do not offer, and says which they do.
    private func refuseUnknown(_ selection: DocumentSelection, of bank: OfferedBank) throws {
        if let kind = selection.kinds.first(where: { !bank.kinds.contains($0) }) {
            throw APIError.invalid(
                "kinds",
                "not offered by “\(bank.bankID)”: \(kind.rawValue); it offers "
                    + bank.kinds.map(\.rawValue).joined(separator: ", "))
        }
        if let account = selection.accounts.first(where: { !bank.accounts.contains($0) }) {
            let there = bank.accounts.map(\.description).joined(separator: ", ")
            throw APIError.invalid(
                "accounts",
                "not known: “\(bank.bankID)” has no account “\(account)”; "
                    + (there.isEmpty ? "ask without accounts: the first visit lists them" : "its accounts are \(there)")
            )
        }
    }

    private static func seconds(from now: Timestamp, to end: Timestamp) -> Int {
        max(1, Int(end.date.timeIntervalSince(now.date).rounded(.up)))
    }

    /// Repeats the first answer: `agent_request_id` is an idempotency key.
    private func again(_ earlier: RequestRecord, _ subject: RequestSubject, _ bankID: String) async throws -> Response {
        let isSame =
            switch subject {
            case .statement: try earlier.subject == subject
            case .documents(let selection):
                try await store.documents(of: earlier.id).map(\.id) == selection.items(ofBank: bankID).map(\.id)
            }
        guard isSame, try earlier.bankID == bankID else {
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
        return .json(try await summary(of: record).json, status: record.status.isTerminal ? .ok : .accepted)
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

extension RequestDocument {
    /// The document as a member of `GET /request/{id}`.
    fileprivate var summary: DocumentSummary {
        var summary = DocumentSummary(id: id, place)
        summary.filePath = filePath
        summary.sha256 = sha256
        summary.bytes = bytes
        summary.errorCode = errorCode
        if let errorCode {
            summary.errorMessage = ErrorCode(rawValue: errorCode).map(RunFailureWords.sentence)
            summary.bankSaysUntrusted = phoneSays.map(RunFailureWords.cleaned)
        }
        return summary
    }
}

/// An agent's request, of any type.
private struct NewRequest {
    let subject: RequestSubject
    let bankID: String?
    /// The agent's own name for it.
    let key: String?
    let refetches: Bool
    /// The field that names the last month.
    let lastMonthField: String

    /// - Parameter offers: the banks, whose accounts a request without accounts means all.
    init(_ body: AgentRequestBody, of offers: [OfferedBank], ownBank: String) throws {
        switch body {
        case .statement(let request):
            subject = .statement(try request.period)
            (bankID, key, refetches, lastMonthField) = (request.bankID, request.agentRequestID, false, "month")
        case .documents(let request):
            let bank = request.bankID ?? ownBank
            let accounts = offers.first { $0.bankID == bank }?.accounts ?? []
            subject = .documents(try request.selection(of: accounts))
            (bankID, key, refetches, lastMonthField) = (
                request.bankID, request.agentRequestID, request.refetches, "to"
            )
        }
    }
}
