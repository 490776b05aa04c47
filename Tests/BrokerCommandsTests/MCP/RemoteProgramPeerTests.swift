import BrokerClient
import Clocks
import DeviceTrust
import Encodings
import Foundation
import Logging
import Messages
import TestParties
import TestSupport
import Testing

@testable import Broker
@testable import BrokerCommands

@Suite("Programs by others, from registration to a document", .needsPeers)
struct RemoteProgramPeerTests {
    @Test(
        "are allowed by a person, ask, and read what was asked for", .timeLimit(.minutes(5)),
        arguments: [
            ("official", "legacy"), ("official", "2026-07-28"), ("authlib", "2026-07-28"),
        ])
    func wholeRoad(program: String, mode: String) async throws {
        let stage = try BrokerStage()
        try await stage.run { stage in
            try await Self.serving(stage) { address in
                let client = try LiveProcess(
                    try #require(Peers.python), [Peers.script("mcp_remote.py").path, program, address, mode])
                for await line in client.lines {
                    if line.hasPrefix("number ") {
                        try await Self.allow(String(line.dropFirst(7)), at: stage)
                    } else if line.hasPrefix("request "), let id = RequestID(String(line.dropFirst(8))) {
                        #expect(try await stage.decide(id, "APPROVE").status == 200)
                        try stage.publish(id)
                    }
                }
                let printed = client.printed
                #expect(await client.status() == 0, "\(printed)")
                let version = mode == "legacy" ? "2025-11-25" : "2026-07-28"
                var expected = ["version \(version)", "ended COMPLETED", "document 1 %PDF-", "renewed True"]
                expected +=
                    program == "official" ? ["tools 9"] : ["token Bearer 600", "twice invalid_grant", "afterwards 401"]
                for line in expected { #expect(printed.contains(line + "\n"), "\(line) in \(printed)") }
            }
        }
    }

    /// The person who types the number on their phone.
    private static func allow(_ number: String, at stage: BrokerStage) async throws {
        let list = try #require(ClientList(json: try await stage.send("GET", "/phone/clients", as: .phone).json))
        let waiting = try #require(list.waiting.first)
        let permission = ClientPermission(
            for: waiting, number: number, agent: try #require(AgentName("elsewhere")), limits: .none,
            verifiedBy: [.passkey], at: stage.clock.now)
        let answer = try await stage.send(
            "POST", "/phone/clients/\(waiting.id)/allow", as: .phone, permission.unsigned)
        #expect(answer.status == 200, "\(answer.json)")
    }

    private static func serving(
        _ stage: BrokerStage, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        let quiet = Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }
        let administration = try BrokerAdministration(
            environment: ["BROKER_DATABASE_PATH": stage.database.path], clock: stage.clock.brokerClock)
        let broker = stage.url
        let agents = RemoteAgents(administration, page: nil) { AgentClient(baseURL: broker, token: $0) }
        try await ServedService.run(
            { onReady in
                RemoteAccessServer(
                    administration, try RemoteAccessConfiguration(port: 0), logger: quiet, onReady: onReady,
                    answer: { call in
                        do {
                            return try await agents.transport(for: call.agent).answer(call)
                        } catch {
                            return .message(status: 503, [])
                        }
                    })
            }, body)
        await agents.close()
    }
}
