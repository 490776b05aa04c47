import BrokerClient
import Encodings
import Foundation
import Messages
import Terminal

/// Requests as tasks (the extension `io.modelcontextprotocol/tasks` of version 2026-07-28).
///
/// A task's id is its request's, so a task outlives the client, this server and the broker's process. This server keeps only
/// which addresses a client has answered; after a restart it may name the same address once more.
final class RequestTasks: Sendable {
    static let name = "io.modelcontextprotocol/tasks"
    static let support: JSONValue = .object([name: [:]])
    /// The name of the only question of a task: the address at which its person decides.
    static let question = "approval"

    private static let pollInterval = 5_000
    private let client: AgentClient
    /// The origin of the household's approval page; nil when it is not known here.
    private let page: String?
    private let answered: AnsweredAddresses

    init(client: AgentClient, page: String?, answered: AnsweredAddresses) {
        self.client = client
        self.page = page
        self.answered = answered
    }

    // MARK: Calls

    func get(_ params: JSONValue) async throws(RPCError) -> [String: JSONValue] {
        details(of: try await request(params), for: ClientAbilities(params))
    }

    /// Takes the answer that a client has shown an address. It is not a decision: only the person's device decides.
    func update(_ params: JSONValue) async throws(RPCError) {
        guard let responses = params["inputResponses"]?.objectValue else {
            throw .invalidParams("“inputResponses” must be an object")
        }
        let request = try await request(params)
        guard responses[Self.question] != nil else { return }
        answered.note(request.id)
    }

    /// Takes a request back that waits. One that runs goes on: the bank has been visited.
    func cancel(_ params: JSONValue) async throws(RPCError) {
        let request = try await request(params)
        do {
            try await client.withdraw(request.id)
        } catch {
            guard error.code == ErrorCode.conflict.rawValue else { throw Self.failure(error) }
        }
    }

    /// Returns a task's request; it has to be the agent's own.
    func request(_ id: RequestID, wait: Int = 0) async throws(RPCError) -> AgentRequest {
        do {
            return try await client.request(id, wait: wait, isOwn: true)
        } catch {
            throw error.code == ErrorCode.requestNotFound.rawValue ? Self.unknown : Self.failure(error)
        }
    }

    private func request(_ params: JSONValue) async throws(RPCError) -> AgentRequest {
        guard let text = params["taskId"]?.stringValue else { throw .invalidParams("“taskId” is missing") }
        guard let id = RequestID(text) else { throw Self.unknown }
        return try await request(id)
    }

    private static let unknown = RPCError.invalidParams("this agent has no such task")

    private static func failure(_ error: AgentError) -> RPCError { RPCError(code: -32603, message: error.description) }

    // MARK: Forms

    /// Returns the answer to a call that made a task.
    static func seed(_ request: AgentRequest) -> [String: JSONValue] {
        var members = common(request, status: "working", words: words(request))
        members["resultType"] = "task"
        return members
    }

    /// Returns the task with what its status demands: the question, or the result.
    func details(of request: AgentRequest, for abilities: ClientAbilities) -> [String: JSONValue] {
        guard request.status.isTerminal else {
            guard request.status == .pendingApproval, abilities.opensAddresses, let page,
                !answered.has(request.id)
            else { return Self.common(request, status: "working", words: Self.words(request)) }
            var members = Self.common(request, status: "input_required", words: Self.words(request))
            members["inputRequests"] = .object([Self.question: Self.elicitation(request, page)])
            return members
        }
        if request.errorCode == ErrorCode.withdrawnByAgent.rawValue {
            return Self.common(request, status: "cancelled", words: "the agent took the request back")
        }
        var members = Self.common(request, status: "completed", words: Self.words(request))
        members["result"] = .object(StatementTools.result(request))
        return members
    }

    private static func common(_ request: AgentRequest, status: String, words: String) -> [String: JSONValue] {
        let created = request.json["created_at"]?.stringValue ?? ""
        return [
            "taskId": .string(request.id.description), "status": .string(status), "statusMessage": .string(words),
            "createdAt": .string(created),
            "lastUpdatedAt": .string(request.json["updated_at"]?.stringValue ?? created), "ttlMs": .null,
            "pollIntervalMs": .number(Double(pollInterval)),
        ]
    }

    private static func words(_ request: AgentRequest) -> String {
        switch request.status {
        case .sent, .pendingApproval: "waits for the person's approval on their phone"
        case .approved, .executing: StatementTools.words(request)
        default: "the request is \(request.status.rawValue)"
        }
    }

    /// The page shows the request, and the person decides there with a passkey or a passphrase. Nothing secret is in its
    /// address, and a client cannot say yes in it.
    private static func elicitation(_ request: AgentRequest, _ page: String) -> JSONValue {
        [
            "method": "elicitation/create",
            "params": [
                "mode": "url", "url": .string("\(page)/#r-\(request.id.short)"),
                "message": "The request waits for your decision on your approval page.",
            ],
        ]
    }
}
