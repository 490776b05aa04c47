import BrokerClient
import Encodings
import Foundation
import Messages
import Terminal

/// One stream of `subscriptions/listen` (version 2026-07-28): the states of tasks, and changes of the list of documents.
struct TaskSubscription: Sendable {
    /// The most tasks of one stream, and the most streams of one server.
    static let mostTasks = 32
    static let mostStreams = 8

    /// The time between two looks at the list of documents.
    private static let interval: Duration = .seconds(5)
    /// A short wait notices the end of the input soon.
    private static let slice = 10

    let id: JSONValue
    let tasks: [RequestID]
    let watchesResources: Bool
    let abilities: ClientAbilities
    let source: RequestTasks
    let resources: StatementResources
    let isEnding: @Sendable () -> Bool
    let send: @Sendable (JSONValue) async -> Void

    /// Reads the wishes of a request; the agent has to own each task.
    ///
    /// - Throws: ``RPCError``, also when the client does not declare that it follows tasks.
    static func wishes(_ params: JSONValue) throws(RPCError) -> (tasks: [RequestID], watchesResources: Bool) {
        guard let wanted = params["notifications"], wanted.objectValue != nil else {
            throw .invalidParams("“notifications” must be an object")
        }
        let names = wanted["taskIds"]?.arrayValue ?? []
        if wanted["taskIds"] != nil, !ClientAbilities(params).followsTasks { throw .missingTasks }
        guard names.count <= mostTasks else { throw .invalidParams("“taskIds” has more than \(mostTasks) tasks") }
        return (names.compactMap { $0.stringValue.flatMap { RequestID($0) } }, wanted["resourcesListChanged"] == true)
    }

    /// Acknowledges what is sent, and sends it until the client cancels or the input ends.
    func run() async {
        var agreed: [String: JSONValue] = [:]
        if !tasks.isEmpty { agreed["taskIds"] = .array(tasks.map { .string($0.description) }) }
        if watchesResources { agreed["resourcesListChanged"] = true }
        await notify("notifications/subscriptions/acknowledged", ["notifications": .object(agreed)])
        await withTaskGroup(of: Void.self) { group in
            for task in tasks { group.addTask { await follow(task) } }
            if watchesResources { group.addTask { await watch() } }
            group.addTask { await stayOpen() }
        }
    }

    private var isOver: Bool { Task.isCancelled || isEnding() }

    private func follow(_ id: RequestID) async {
        var last: JSONValue?
        while !isOver {
            guard let request = try? await source.request(id, wait: last == nil ? 0 : Self.slice) else {
                try? await Task.sleep(for: Self.interval)
                continue
            }
            let details = JSONValue.object(source.details(of: request, for: abilities))
            if details != last, !isOver {
                last = details
                await notify("notifications/tasks", details.objectValue ?? [:])
            }
            if request.status.isTerminal { return }
        }
    }

    private func watch() async {
        var last = try? await resources.list()
        while !isOver {
            try? await Task.sleep(for: Self.interval)
            guard !isOver, let now = try? await resources.list() else { continue }
            if let last, last != now { await notify("notifications/resources/list_changed", [:]) }
            last = now
        }
    }

    /// The stream stays open when its tasks have ended, as the specification has it.
    private func stayOpen() async {
        while !isOver { try? await Task.sleep(for: .milliseconds(200)) }
    }

    private func notify(_ method: String, _ params: [String: JSONValue]) async {
        var params = params
        params["_meta"] = .object(["io.modelcontextprotocol/subscriptionId": id])
        await send(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
    }
}
