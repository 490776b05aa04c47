import BrokerClient
import CurlClient
import Foundation
import Messages
import Phone
import PhoneStore
import Secrets
import Synchronization
import TestParties
import TestServers
import Testing

/// Another user of the machine listens where agents and phones expect their broker.
@Suite("A program on the broker's port", .timeLimit(.minutes(4)))
struct TokenSquatterTests {
    private func agent(at port: Int) -> AgentClient {
        AgentClient(baseURL: "http://127.0.0.1:\(port)", token: Secret(AttackedBroker.agentToken))
    }

    private func phone(at port: Int, token: String = AttackedBroker.phoneToken) -> PhoneBrokerClient {
        PhoneBrokerClient(baseURL: URL(string: "http://127.0.0.1:\(port)")!, token: Secret(token))
    }

    @Test("gets no token from an agent, whatever it answers", arguments: RecordingSquatter.Answer.allCases)
    func agents(_ answer: RecordingSquatter.Answer) async throws {
        try await RecordingSquatter.with(answering: answer) { squatter in
            let agent = self.agent(at: squatter.port)
            await #expect(throws: AgentError.self) { try await agent.requestStatement(month: 1, year: 2026) }
            await #expect(throws: AgentError.self) { try await agent.request(RequestID(), wait: 1) }
            await #expect(throws: AgentError.self) { try await agent.banks() }
            await agent.close()
            #expect(squatter.heard.contains("POST /proof"))
            #expect(!squatter.heard.contains(AttackedBroker.agentToken))
        }
    }

    @Test("gets no token from a phone, whatever it answers", arguments: RecordingSquatter.Answer.allCases)
    func phones(_ answer: RecordingSquatter.Answer) async throws {
        try await RecordingSquatter.with(answering: answer) { squatter in
            let phone = self.phone(at: squatter.port)
            await #expect(throws: PhoneError.self) { try await phone.pending() }
            await #expect(throws: PhoneError.self) { try await phone.decide(RequestID(), .deny, at: Date()) }
            await phone.close()
            #expect(squatter.heard.contains("POST /proof"))
            #expect(!squatter.heard.contains(AttackedBroker.phoneToken))
        }
    }

    @Test("gets no token by passing the question on to the real broker")
    func relay() async throws {
        try await AttackedBroker().run { broker in
            let port = try #require(URL(string: broker.url)?.port)
            let paired = try await AttackedPhone(broker, keepsDefaultDevice: true)
            try await RecordingSquatter.with(answering: .relay(to: port)) { squatter in
                let (agent, phone) = (self.agent(at: squatter.port), self.phone(at: squatter.port))
                let third = self.phone(at: squatter.port, token: paired.credentials.token.revealed())
                let error = await #expect(throws: AgentError.self) { try await agent.banks() }
                #expect(error?.message.contains("another program stands in between") == true, "\(error as Any)")
                await #expect(throws: PhoneError.self) { try await phone.pending() }
                await #expect(throws: PhoneError.self) { try await third.pending() }
                await agent.close()
                await phone.close()
                await third.close()
                #expect(squatter.heard.contains("POST /proof"))
                #expect(!squatter.heard.contains("Authorization"))
            }
            // The broker itself gets all three.
            let (agent, phone) = (self.agent(at: port), self.phone(at: port))
            let third = self.phone(at: port, token: paired.credentials.token.revealed())
            _ = try await agent.banks()
            _ = try await phone.pending()
            _ = try await third.pending()
            await agent.close()
            await phone.close()
            await third.close()
        }
    }

    @Test("gets no token by making room for the real broker and keeping a client's connection open")
    func makesRoom() async throws {
        let squatter = try RoomMakingSquatter()
        let agent = self.agent(at: squatter.port)
        let asking = Task { try await agent.banks() }
        let question = await squatter.firstQuestion()
        let broker = try AttackedBroker()
        var configuration = try broker.configuration
        configuration.port = squatter.port
        try await broker.run(configuration) { _ in
            let more = await squatter.passOn(question)
            let error = await #expect(throws: AgentError.self) { try await asking.value }
            #expect(error?.message.contains("another program stands in between") == true, "\(error as Any)")
            #expect(question.contains("POST /proof"))
            #expect(more == "")
        }
        await agent.close()
    }

    @Test("an agent that knows only the specification sends its token at once, and is served")
    func plain() async throws {
        try await AttackedBroker().run { broker in
            let answer = try await broker.send("GET", "/requests")
            #expect(answer.status == 200)
        }
    }
}

/// A program that writes down every byte that it hears.
final class RecordingSquatter: Sendable {
    enum Answer: Sendable, CaseIterable {
        case ok, notFound, redirect, silence
        case relay(to: Int)

        static var allCases: [Answer] { [.ok, .notFound, .redirect, .silence] }
    }

    let port: Int
    private let listener: LoopbackListener
    private let answer: Answer
    private let recorded = Recording()

    private init(answering answer: Answer) throws {
        let bound = try LoopbackSocket.bound()
        port = bound.port
        listener = try LoopbackListener(bound.descriptor)
        self.answer = answer
        listener.accept { [recorded] in Self.serve($0, answer, recorded) }
    }

    static func with(answering answer: Answer, _ body: (RecordingSquatter) async throws -> Void) async throws {
        let squatter = try RecordingSquatter(answering: answer)
        defer { squatter.listener.stop() }
        try await body(squatter)
    }

    var heard: String { recorded.text }

    private static func serve(_ connection: Int32, _ answer: Answer, _ recorded: Recording) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
            recorded.add(buffer[..<count])
            guard let bytes = reply(to: Array(buffer[..<count]), answer) else { return }
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
        }
    }

    /// Returns nil to close the connection.
    private static func reply(to request: [UInt8], _ answer: Answer) -> [UInt8]? {
        switch answer {
        case .ok: Array("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"requests\":[]}".utf8)
        case .notFound: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}".utf8)
        case .redirect: Array("HTTP/1.1 307 Go\r\nLocation: /requests\r\nContent-Length: 0\r\n\r\n".utf8)
        case .silence: nil
        case .relay(let port): relayed(request, to: port)
        }
    }

    static func relayed(_ request: [UInt8], to port: Int) -> [UInt8]? {
        guard let broker = try? LoopbackSocket.connected(to: port) else { return nil }
        defer { close(broker) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        guard send(broker, request, request.count, Int32(MSG_NOSIGNAL)) > 0,
            case let count = recv(broker, &buffer, buffer.count, 0), count > 0
        else { return nil }
        return Array(buffer[..<count])
    }
}

/// A program that listens at the broker's address until it has one connection, and then lets the broker listen there.
private final class RoomMakingSquatter: Sendable {
    let port: Int
    private let listener: Int32
    private let connection = Mutex<Int32>(-1)

    init() throws {
        (listener, port) = try LoopbackSocket.bound(makesRoom: true)
        guard listen(listener, 1) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { connection.withLock { _ = close($0) } }

    /// Accepts one connection, reads the question on it, and listens no longer.
    func firstQuestion() async -> String {
        await onThread { [self] in
            let accepted = accept(listener, nil, nil)
            close(listener)
            connection.withLock { $0 = accepted }
            return Self.heard(on: accepted)
        }
    }

    /// Asks the broker the same question, gives its answer to the client, and returns what the client says next.
    func passOn(_ question: String) async -> String {
        await onThread { [self] in
            let accepted = connection.withLock { $0 }
            guard let answer = RecordingSquatter.relayed(Array(question.utf8), to: port) else { return "no answer" }
            send(accepted, answer, answer.count, Int32(MSG_NOSIGNAL))
            let next = Self.heard(on: accepted)
            shutdown(accepted, Int32(SHUT_RDWR))
            return next
        }
    }

    private static func heard(on connection: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Runs calls that block outside the threads that run the tests.
    private func onThread(_ body: @escaping @Sendable () -> String) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}

/// The bytes that a squatter has heard, from all of its threads.
private final class Recording: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8] = []

    func add(_ more: some Sequence<UInt8>) { lock.withLock { bytes += more } }

    var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }
}
