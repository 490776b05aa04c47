import Broker
import BrokerClient
import Clocks
import CurlClient
import Encodings
import Foundation
import GRDB
import Inbox
import Machine
import Messages
import Secrets
import Signer
import Synchronization
import Testing

/// `COUNTERSIGN_KILLS` is the number of kills, up to 100; by default 30.
private let kills = min(ProcessInfo.processInfo.environment["COUNTERSIGN_KILLS"].flatMap(Int.init) ?? 30, 100)

@Suite("A killed broker", .timeLimit(.minutes(5)))
struct KilledBrokerTests {
    @Test("loses nothing that it acknowledged, and completes nothing twice")
    func killed() async throws {
        let broker = try BrokerProcess()
        let said = Acknowledged()
        var logs = ""
        for round in 1...kills {
            let program = try await broker.start()
            try await check(said, at: broker)
            let stream = Task { await Self.stream(to: broker, noting: said) }
            // The broker checks a file in the inbox twice, two seconds apart: every tenth kill hits the work after that.
            let base = round.isMultiple(of: 10) ? 2000 : 0
            try await Task.sleep(for: .milliseconds(base + Int.random(in: 0...200)))
            program.signal(SIGKILL)
            #expect(try await program.status() == SIGKILL)
            stream.cancel()
            await stream.value
            logs += program.errors
        }

        let program = try await broker.start()
        try await check(said, at: broker)
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        for id in said.delivered {
            var request = try await agent.request(id)
            while !request.status.isTerminal { request = try await agent.request(id, wait: 30) }
            #expect(request.status == .completed)
            let path = try #require(request.filePath)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.pdf(of: id))
        }
        await agent.close()
        program.signal(SIGTERM)
        #expect(try await program.status() == 0)
        logs += program.errors

        #expect(said.created.count > kills && !said.delivered.isEmpty, "the stream was one")
        let accepted = logs.split(separator: "\n").filter { $0.contains("statement accepted") }
        #expect(Set(accepted.map { $0.suffix(36) }).count == accepted.count, "each once")
        #expect(!logs.contains("MANIFEST_VERIFICATION_FAILED"))
        let left = try FileManager.default.contentsOfDirectory(atPath: broker.inbox.path)
        #expect(left.isEmpty, "\(left)")
        let database = try DatabaseQueue(path: broker.database.path)
        let verdict = try await database.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
        #expect(verdict == ["ok"])
        let counts = try await database.read { db in
            try ["pending_requests WHERE status = 'COMPLETED'", "completion_manifests"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? -1
            }
        }
        #expect(counts == [said.delivered.count, said.delivered.count])
    }

    /// Requests, approves, starts and delivers until the broker is gone, and records each answer.
    private static func stream(to broker: BrokerProcess, noting said: Acknowledged) async {
        let http = CurlSession()
        defer { Task { await http.close() } }
        func post(_ path: String, _ token: String, _ body: JSONValue) async throws -> JSONValue? {
            let response = try await http.send(
                HTTPRequest(
                    "POST", broker.url + path, headers: [HTTPHeader("Authorization", "Bearer \(token)")],
                    body: Array(body.compactText().utf8)))
            return (200...299).contains(response.status) ? try? JSONReader.read(response.body) : nil
        }
        do {
            while !Task.isCancelled {
                let key = UUID().uuidString
                let asked = try await post(
                    "/request", BrokerProcess.agentToken,
                    ["type": "statement", "month": 1, "year": 2026, "agent_request_id": .string(key)])
                guard let id = asked?["request_id"]?.stringValue.flatMap({ RequestID($0) }) else { return }
                said.create(id, key)
                let now = JSONValue.string(Timestamp(Date()).description)
                let path = "/phone/requests/\(id)"
                let decision = Bool.random() ? "APPROVE" : "DENY"
                guard
                    try await post(
                        "\(path)/decision", BrokerProcess.phoneToken,
                        ["decision": .string(decision), "decided_at": now]) != nil
                else { return }
                guard decision == "APPROVE" else {
                    said.note(id, .denied)
                    continue
                }
                said.note(id, .approved)
                if Bool.random() {
                    guard try await post("\(path)/started", BrokerProcess.phoneToken, [:]) != nil else { return }
                    said.note(id, .executing)
                }
                guard Int.random(in: 0..<4) == 0 else { continue }
                let source = broker.root.appending(path: "\(id).pdf")
                try AtomicFile.write(Array(pdf(of: id).utf8), to: source)
                _ = try InboxPublisher(folder: broker.inbox, secret: try SharedSecret(Secret(BrokerProcess.secret)))
                    .publish(
                        pdf: source, for: id, period: MonthYear(month: 1, year: 2026)!, completedAt: Timestamp(Date()))
                said.deliver(id)
            }
        } catch {
            // The broker died during an exchange: an unanswered call was not acknowledged.
        }
    }

    private static func pdf(of id: RequestID) -> String {
        "%PDF-1.4 \(id) \(String(repeating: "x", count: 4000)) startxref 0 %%EOF"
    }

    /// Expects that every answer before the kill still holds.
    private func check(_ said: Acknowledged, at broker: BrokerProcess) async throws {
        let agent = AgentClient(baseURL: broker.url, token: Secret(BrokerProcess.agentToken))
        for (id, noted) in said.takeUnchecked() {
            let request = try await agent.request(id)
            let later: [RequestStatus: Set<RequestStatus>] = [
                .pendingApproval: Set(RequestStatus.allCases).subtracting([.sent]),
                .approved: [.approved, .executing, .completed], .executing: [.executing, .completed],
                .denied: [.denied],
            ]
            #expect(later[noted.status]!.contains(request.status), "\(id): \(noted.status), then \(request.status)")
            let again = try await agent.requestStatement(month: 1, year: 2026, agentRequestID: noted.key)
            #expect(again.id == id, "its key is known too")
        }
        await agent.close()
    }
}

/// The answers of the broker.
private final class Acknowledged: Sendable {
    struct Note: Sendable {
        let key: String
        var status: RequestStatus
    }

    private struct State {
        var created: [RequestID: Note] = [:]
        var unchecked: Set<RequestID> = []
        var delivered: Set<RequestID> = []
    }

    private let state = Mutex(State())

    var created: [RequestID: Note] { state.withLock { $0.created } }
    var delivered: Set<RequestID> { state.withLock { $0.delivered } }

    func create(_ id: RequestID, _ key: String) {
        state.withLock {
            $0.created[id] = Note(key: key, status: .pendingApproval)
            $0.unchecked.insert(id)
        }
    }

    func note(_ id: RequestID, _ status: RequestStatus) { state.withLock { $0.created[id]?.status = status } }

    func deliver(_ id: RequestID) { state.withLock { _ = $0.delivered.insert(id) } }

    func takeUnchecked() -> [RequestID: Note] {
        state.withLock { state in
            defer { state.unchecked = [] }
            return state.created.filter { state.unchecked.contains($0.key) }
        }
    }
}
