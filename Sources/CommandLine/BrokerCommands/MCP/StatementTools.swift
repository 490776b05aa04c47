import BrokerClient
import Clocks
import Encodings
import Foundation
import Messages
import Synchronization
import Terminal

/// The tools: ask for a statement or for several documents, look at a request, list requests, list banks.
final class StatementTools: Sendable {
    private let client: AgentClient
    private let isEnding = Mutex(false)

    /// The longest wait of a call, in seconds.
    private static let longestWait = 600

    init(client: AgentClient) {
        self.client = client
    }

    /// Makes waiting calls return the current state.
    func stopWaiting() { isEnding.withLock { $0 = true } }

    var isStopping: Bool { isEnding.withLock { $0 } }

    /// The answer of a tool.
    enum Answer: Sendable {
        case result([String: JSONValue])
        /// The request goes on as a task.
        case task(AgentRequest)
    }

    /// Calls a tool. Every other failure becomes a result that the assistant can read.
    ///
    /// - Parameter isTask: the client follows tasks: a request that has not ended is one.
    /// - Throws: ``RPCError`` for an unknown tool.
    func call(
        _ name: String, _ arguments: JSONValue, asTask isTask: Bool = false,
        _ progress: @Sendable (Int, String) async -> Void
    ) async throws(RPCError) -> Answer {
        guard Self.names.contains(name) else {
            throw .invalidParams(
                "unknown tool “\(name.inLine(limit: 80))”; the tools are \(Self.names.joined(separator: ", "))")
        }
        do throws(ToolFailure) {
            let fields = try ToolArguments(arguments)
            try fields.refuseOthers(than: Self.argumentNames[name] ?? [], of: name)
            switch name {
            case "request_statement": return try await requestStatement(fields, asTask: isTask, progress)
            case "request_documents": return try await requestDocuments(fields, asTask: isTask, progress)
            case "offer_documents": return .result(try await offerDocuments(fields))
            case "get_request": return .result(try await getRequest(fields, progress))
            case "list_requests": return .result(try await listRequests(fields))
            case "list_documents": return .result(try await listDocuments(fields))
            case "find_documents": return .result(try await findDocuments(fields))
            case "read_document": return .result(try await readDocument(fields))
            default: return .result(try await listBanks())
            }
        } catch {
            return .result(error.result)
        }
    }

    private static let names = [
        "request_statement", "request_documents", "offer_documents", "get_request", "list_requests", "list_banks",
        "list_documents", "find_documents", "read_document",
    ]

    private func requestStatement(
        _ fields: ToolArguments, asTask isTask: Bool, _ progress: @Sendable (Int, String) async -> Void
    ) async throws(ToolFailure) -> Answer {
        let month = try fields.whole("month", in: 1...12)
        let year = try fields.whole("year", in: StatementRequest.years)
        guard let month, let year else { throw ToolFailure("“month” and “year” are needed") }
        let bank = try fields.text("bank_id")
        let key = try fields.text("agent_request_id")
        let reason = try fields.reason
        let wait = try fields.whole("wait_seconds", in: 0...Self.longestWait) ?? 0
        let request = try await askingForUsualKind(nil, ofBank: bank) { kinds throws(AgentError) in
            guard let kinds, let month = MonthYear(month: month, year: year) else {
                return try await client.requestStatement(
                    month: month, year: year, bankID: bank, agentRequestID: key, reason: reason)
            }
            return try await client.requestDocuments(
                DocumentsRequest(
                    from: month, to: month, kinds: kinds, bankID: bank, agentRequestID: key, reason: reason))
        }
        if isTask, !request.status.isTerminal { return .task(request) }
        return .result(Self.result(try await outcome(of: request, within: wait, progress)))
    }

    private func requestDocuments(
        _ fields: ToolArguments, asTask isTask: Bool, _ progress: @Sendable (Int, String) async -> Void
    ) async throws(ToolFailure) -> Answer {
        let from = try fields.rangeEnd("from")
        let to = try fields.rangeEnd("to")
        guard let from, let to else { throw ToolFailure("“from” and “to” are needed: months such as 2026-01") }
        var wanted = DocumentsRequest(
            from: from.month, to: to.month, accounts: try fields.accounts("accounts") ?? [],
            bankID: try fields.text("bank_id"), refetches: try fields.flag("refetch") ?? false,
            agentRequestID: try fields.text("agent_request_id"), reason: try fields.reason
        ).from(from, to: to)
        let kinds = try fields.kinds("kinds")
        let wait = try fields.whole("wait_seconds", in: 0...Self.longestWait) ?? 0
        let request = try await askingForUsualKind(kinds, ofBank: wanted.bankID) { kinds throws(AgentError) in
            wanted.kinds = kinds ?? [.pdf]
            return try await client.requestDocuments(wanted)
        }
        if isTask, !request.status.isTerminal { return .task(request) }
        return .result(Self.result(try await outcome(of: request, within: wait, progress)))
    }

    private func offerDocuments(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        guard let from = try fields.month("from") else {
            throw ToolFailure("“from” is needed: a month such as 2026-01")
        }
        var documents = DocumentsRequest(
            from: from, to: try fields.month("to") ?? from, accounts: try fields.accounts("accounts") ?? [],
            bankID: try fields.text("bank_id"))
        let kinds = try fields.kinds("kinds")
        let offer = try await askingForUsualKind(kinds, ofBank: documents.bankID) { kinds throws(AgentError) in
            documents.kinds = kinds ?? [.pdf]
            return try await client.offerDocuments(documents)
        }
        return Self.result(offer.json, links: [])
    }

    private func getRequest(
        _ fields: ToolArguments, _ progress: @Sendable (Int, String) async -> Void
    ) async throws(ToolFailure) -> [String: JSONValue] {
        guard let id = try fields.text("request_id").flatMap({ RequestID($0) }) else {
            throw ToolFailure("“request_id” is needed: a UUID in lower case, as request_statement gives it")
        }
        let wait = try fields.whole("wait_seconds", in: 0...Self.longestWait) ?? 0
        let request = try await broker { () async throws(AgentError) in try await client.request(id) }
        return Self.result(try await outcome(of: request, within: wait, progress))
    }

    private func listRequests(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        let limit = try fields.whole("limit", in: 1...200) ?? 20
        var status: RequestStatus?
        if let name = try fields.text("status") {
            guard let known = RequestStatus(rawValue: name) else { throw ToolFailure("“status” is not a known state") }
            status = known
        }
        let cursor = try fields.text("cursor")
        let page = try await broker { () async throws(AgentError) in
            try await client.page(of: status, after: cursor, limit: limit)
        }
        let links = page.requests.flatMap(StatementResources.links)
        let answer = RequestPage(items: page.requests.map(\.json), nextCursor: page.nextCursor)
        return Self.result(answer.json, links: links)
    }

    private func listBanks() async throws(ToolFailure) -> [String: JSONValue] {
        let banks = try await broker { () async throws(AgentError) in try await client.banks() }
        return Self.result(BankList(banks).json, links: [])
    }

    private func listDocuments(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        let limit = try fields.whole("limit", in: 1...200) ?? 50
        let (filter, cursor) = (try fields.documentFilter, try fields.text("cursor"))
        let page = try await broker { () async throws(AgentError) in
            try await client.documents(filter, after: cursor, limit: limit)
        }
        return Self.result(page.json, links: [])
    }

    private func findDocuments(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        guard let words = try fields.text("words") else { throw ToolFailure("“words” is needed: what to look for") }
        let limit = try fields.whole("limit", in: 1...50) ?? 10
        let filter = try fields.documentFilter
        let page = try await broker { () async throws(AgentError) in
            try await client.documents(filter, finding: words, limit: limit)
        }
        return Self.result(page.json, links: [])
    }

    private func readDocument(_ fields: ToolArguments) async throws(ToolFailure) -> [String: JSONValue] {
        guard let id = try fields.text("document_id").flatMap({ DocumentID($0) }) else {
            throw ToolFailure("“document_id” is needed: 32 hexadecimal digits, as list_documents gives it")
        }
        let first = try fields.whole("first_page", in: 1...10_000)
        let last = try fields.whole("last_page", in: 1...10_000)
        let text = try await broker { () async throws(AgentError) in
            try await client.text(of: id, from: first, to: last)
        }
        return Self.result(text, links: [])
    }

    /// Waits until the request has ended, the time is up, or the client has closed the input.
    private func outcome(
        of request: AgentRequest, within seconds: Int, _ progress: @Sendable (Int, String) async -> Void
    ) async throws(ToolFailure) -> AgentRequest {
        let end = ContinuousClock.now + .seconds(seconds)
        var request = request
        // Short waits notice the end of the input soon.
        let slice = 10
        var told = 0
        while !request.status.isTerminal, !Task.isCancelled, !isEnding.withLock({ $0 }) {
            let left = Int((end - ContinuousClock.now).components.seconds)
            guard left > 0 else { break }
            told += 1
            await progress(told, Self.words(request))
            let id = request.id
            request = try await broker { () async throws(AgentError) in
                try await client.request(id, wait: min(left, slice))
            }
        }
        return request
    }

    static func words(_ request: AgentRequest) -> String {
        let state = "the request is \(request.status.rawValue)"
        guard let documents = request.documents else { return state }
        let there = documents.count { $0.filePath != nil }
        guard documents.count > 1 else { return state + (there == 1 ? ", and the document is there" : "") }
        return state + ", \(there) of \(documents.count) documents are there"
    }

    /// Asks the broker, and once more for the bank's usual kind where none is given and the bank has no PDF.
    private func askingForUsualKind<Answer: Sendable>(
        _ given: [DocumentKind]?, ofBank bankID: String?, _ ask: ([DocumentKind]?) async throws(AgentError) -> Answer
    ) async throws(ToolFailure) -> Answer {
        try await broker { () async throws(AgentError) in
            do throws(AgentError) {
                return try await ask(given)
            } catch {
                guard given == nil else { throw error }
                return try await ask([try await client.usualKind(ofBank: bankID, after: error)])
            }
        }
    }

    private func broker<Answer: Sendable>(
        _ ask: () async throws(AgentError) -> Answer
    ) async throws(ToolFailure) -> Answer {
        do throws(AgentError) {
            return try await ask()
        } catch {
            throw ToolFailure(error.description)
        }
    }

    static func result(_ request: AgentRequest) -> [String: JSONValue] {
        result(request.json, links: StatementResources.links(request))
    }

    private static func result(_ json: JSONValue, links: [JSONValue]) -> [String: JSONValue] {
        [
            "content": .array([["type": "text", "text": .string(json.compactText())]] + links),
            "structuredContent": json,
        ]
    }
}

extension ToolArguments {
    /// The agent's reason for a request, in its own words.
    fileprivate var reason: AgentReason? {
        get throws(ToolFailure) {
            guard let words = try text("reason") else { return nil }
            guard let reason = AgentReason(words) else {
                throw ToolFailure("“reason” must have 1 to \(AgentReason.longest) characters, and not only spaces")
            }
            return reason
        }
    }

    fileprivate func rangeEnd(_ name: String) throws(ToolFailure) -> RangeEnd? {
        guard let text = try text(name) else { return nil }
        guard let end = RangeEnd(text) else {
            throw ToolFailure("“\(name)” must be a month such as 2026-01, or a day such as 2026-01-15")
        }
        return end
    }

    fileprivate func month(_ name: String) throws(ToolFailure) -> MonthYear? {
        guard let text = try text(name) else { return nil }
        guard let month = MonthYear(text) else { throw ToolFailure("“\(name)” must be a month such as 2026-01") }
        return month
    }

    fileprivate func kinds(_ name: String) throws(ToolFailure) -> [DocumentKind]? {
        guard let names = try texts(name) else { return nil }
        let kinds = names.compactMap(DocumentKind.init)
        guard kinds.count == names.count else {
            let known = DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ToolFailure("“\(name)” must be among \(known)")
        }
        return kinds
    }

    fileprivate func accounts(_ name: String) throws(ToolFailure) -> [AccountAlias]? {
        guard let names = try texts(name) else { return nil }
        let accounts = names.compactMap(AccountAlias.init)
        guard accounts.count == names.count else {
            throw ToolFailure("“\(name)” must be aliases that list_banks shows")
        }
        return accounts
    }
}

extension ToolArguments {
    /// The documents to list.
    fileprivate var documentFilter: HeldDocumentFilter {
        get throws(ToolFailure) {
            var filter = HeldDocumentFilter(
                bankID: try text("bank_id"), from: try month("from"), to: try month("to"))
            if let name = try text("account") {
                guard let account = AccountAlias(name) else {
                    throw ToolFailure("“account” must be an alias that list_banks shows")
                }
                filter.account = account
            }
            if let name = try text("kind") {
                guard let kind = DocumentKind(rawValue: name) else {
                    let known = DocumentKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ToolFailure("“kind” must be one of \(known)")
                }
                filter.kind = kind
            }
            return filter
        }
    }
}
