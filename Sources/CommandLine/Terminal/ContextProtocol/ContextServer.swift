import Encodings
import Messages

/// Introduces a server to its client: its name, its abilities, and how a model should use it.
package struct ContextIntroduction: Sendable {
    /// For a person, such as in a client's list of servers.
    package var title: String
    package var instructions: String
    /// The capabilities of versions with a handshake.
    package var capabilities: JSONValue
    /// The capabilities of the stateless version.
    package var statelessCapabilities: JSONValue

    package init(title: String, instructions: String, capabilities: JSONValue, statelessCapabilities: JSONValue) {
        self.title = title
        self.instructions = instructions
        self.capabilities = capabilities
        self.statelessCapabilities = statelessCapabilities
    }
}

/// Answers the methods of the Model Context Protocol that make one server differ from another: tools, resources, tasks.
package protocol ContextService: Sendable {
    nonisolated var introduction: ContextIntroduction { get }

    /// - Parameters:
    ///   - id: the request's, by which a client cancels it.
    ///   - server: delivers notifications while the request runs.
    /// - Throws: ``RPCError``, such as ``RPCError/unknownMethod(_:)`` for a method that the service does not have.
    func result(
        of method: String, _ params: JSONValue, for id: JSONValue, in version: ProtocolVersion, of server: ContextServer
    ) async throws(RPCError) -> JSONValue

    /// Makes requests that wait end soon, because the input has ended.
    func stop() async
}

/// Speaks the Model Context Protocol for a service: messages, their order, cancelling, and the versions.
package actor ContextServer {
    private let service: any ContextService
    private var send: @Sendable (String) -> Void = { _ in }
    private var version: ProtocolVersion?
    private var running: [JSONValue: Task<Void, Never>] = [:]

    /// - Parameter version: the version that a handshake before has agreed on; nil without one.
    package init(_ service: any ContextService, version: ProtocolVersion? = nil) {
        self.service = service
        self.version = version
    }

    /// The member of `_meta` that names the server.
    private static let infoKey = "io.modelcontextprotocol/serverInfo"

    private var info: JSONValue {
        [
            "name": "countersign", "title": .string(service.introduction.title),
            "version": .string(ProductVersion.current),
        ]
    }

    /// Answers messages until the input ends, and then waits for the requests that still run.
    ///
    /// - Parameters:
    ///   - lines: JSON-RPC messages, one per line, without their line feeds.
    ///   - send: receives one message at a time, without its line feed.
    package func serve(
        lines: some AsyncSequence<[UInt8], Never> & Sendable, send: @escaping @Sendable (String) -> Void
    ) async {
        self.send = send
        for await line in lines where !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { receive(line) }
        await service.stop()
        for task in running.values { await task.value }
    }

    private func receive(_ line: [UInt8]) {
        do throws(RPCError) {
            let json: JSONValue
            do {
                json = try JSONReader.read(line, limits: JSONLimits(size: 1 << 20))
            } catch {
                throw .parse("\(error)")
            }
            switch try RPCMessage(json) {
            case .response: return
            case .notification("notifications/cancelled", let params):
                if let id = params["requestId"] { running.removeValue(forKey: id)?.cancel() }
            case .notification: return
            case .request(let id, let method, let params):
                guard running[id] == nil else { throw .invalidRequest("the id is in use") }
                running[id] = Task { await answer(id, method, params) }
            }
        } catch {
            deliver(error.response(to: nil))
        }
    }

    private func answer(_ id: JSONValue, _ method: String, _ params: JSONValue) async {
        let response: JSONValue
        do throws(RPCError) {
            let result = try await self.result(of: method, params, for: id)
            response = ["jsonrpc": "2.0", "id": id, "result": result]
        } catch {
            response = error.response(to: id)
        }
        // A cancelled request gets no answer.
        guard !Task.isCancelled else { return }
        running[id] = nil
        deliver(response)
    }

    /// Sends a message to the client.
    package func deliver(_ message: JSONValue) { send(message.compactText()) }

    private func result(
        of method: String, _ params: JSONValue, for id: JSONValue
    ) async throws(RPCError) -> JSONValue {
        if method == "initialize" { return try initialize(params) }
        if method == "ping" { return [:] }
        guard let version = try ProtocolVersion.named(in: params) ?? version else {
            throw .invalidRequest(
                "begin with initialize, or name your version (\(ProtocolVersion.stateless.rawValue)) in “_meta”")
        }
        guard version == .stateless else {
            return try await service.result(of: method, params, for: id, in: version, of: self)
        }
        if method == "server/discover" { return named(discovery) }
        return named(try await service.result(of: method, params, for: id, in: version, of: self))
    }

    private var discovery: JSONValue {
        let introduction = service.introduction
        return ProtocolVersion.stateless.result(
            [
                "supportedVersions": .array(ProtocolVersion.allCases.map { .string($0.rawValue) }),
                "capabilities": introduction.statelessCapabilities,
                "instructions": .string(introduction.instructions),
            ], isCacheable: true)
    }

    /// Returns a result of the stateless version with the server's name in it.
    private func named(_ result: JSONValue) -> JSONValue {
        guard case .object(var members) = result else { return result }
        var meta = members["_meta"]?.objectValue ?? [:]
        meta[Self.infoKey] = info
        members["_meta"] = .object(meta)
        return .object(members)
    }

    private func initialize(_ params: JSONValue) throws(RPCError) -> JSONValue {
        guard let requested = params["protocolVersion"]?.stringValue else {
            throw .invalidParams("“protocolVersion” is missing")
        }
        let agreed = ProtocolVersion.agreed(on: requested)
        version = agreed
        return [
            "protocolVersion": .string(agreed.rawValue), "capabilities": service.introduction.capabilities,
            "serverInfo": info, "instructions": .string(service.introduction.instructions),
        ]
    }

    /// Returns a function that reports progress to the client, if the client asked for progress.
    package func progress(for params: JSONValue) -> @Sendable (Int, String) async -> Void {
        guard let token = params["_meta"]?["progressToken"], token.stringValue != nil || token.intValue != nil else {
            return { _, _ in }
        }
        return { count, message in
            await self.deliver([
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": [
                    "progressToken": token, "progress": .number(Double(count)), "message": .string(message),
                ],
            ])
        }
    }
}
