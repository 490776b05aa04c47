import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import LoopbackNitro
import ProcessSockets
import TestSupport
import Testing

@testable import Assistant
@testable import Enclave

/// A Nitro Secure Module of our own, under a root of our own, behind the enclave of an assistant.
@Suite("Nitro evidence, from the enclave's call to the opened token", .timeLimit(.minutes(3))) struct NitroRoadTests {
    private struct Hardware: Sendable {
        let authority: NitroAuthority
        let module: NitroModuleServer
    }

    private static func run(
        _ body: @escaping @Sendable (ConnectedStage, Hardware) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let authority = try NitroAuthority(at: AssistantStage.start)
        let module = try NitroModuleServer(folder.appending("nsm.sock"), at: AssistantStage.start) {
            try authority.document($0)
        }
        var evidence = EvidenceSettings()
        evidence.kind = .nitro
        evidence.nitroDevice = module.socket
        evidence.nitroRoot = authority.rootDigest
        let hardware = Hardware(authority: authority, module: module)
        try await ConnectedStage.run(evidence: evidence) { try await body($0, hardware) }
    }

    /// Allows our image in the policy.
    private static func allow(_ connected: ConnectedStage, _ change: (inout KeyPolicy) -> Void = { _ in }) throws {
        var policy = try connected.policy.read()
        policy.measurements = [Base16.encode(NitroAuthority.image)]
        change(&policy)
        try connected.policy.write(policy)
    }

    @Test("no image is allowed at first; one that the operator allows opens tokens")
    func road() async throws {
        try await Self.run { connected, _ in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            #expect(try connected.policy.read().runtime == "nitro")
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            try Self.allow(connected)
            let access = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(access.runtime == "nitro" && access.measurement == Base16.encode(NitroAuthority.image))
            try Self.allow(connected) { $0.registers = [8: [Base16.encode(NitroAuthority.signer)]] }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            let results = try await connected.events("TOKEN_DECRYPT", token).map { $0["result"] }
            #expect(results == ["SUCCESS", "SUCCESS", "DENIED"])

            let health = try await connected.stage.send("GET", "/healthz").json
            #expect(health["provider"] == "nitro" && health["protection"] == "evidence made by an AWS Nitro enclave")
            #expect(connected.stage.logged.withLock { $0.contains { $0.contains("made by an AWS Nitro enclave") } })
        }
    }

    @Test("evidence that is not ours, not fresh, or not of an allowed enclave is refused, each with its code")
    func refusals() async throws {
        try await Self.run { connected, hardware in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try Self.allow(connected)
            let authority = hardware.authority
            let stranger = try NitroAuthority(at: connected.stage.now)
            let replayed = try authority.document(.init(at: connected.stage.now, nonce: [1], publicKey: [2]))
            let zeros = [UInt8](repeating: 0, count: 48)
            let cases: [(String, NitroModuleServer.Answer)] = [
                ("MEASUREMENT_NOT_ALLOWED", { try authority.document(Self.changed($0) { $0.registers[0] = zeros }) }),
                (
                    "MEASUREMENT_NOT_ALLOWED",
                    { statement in
                        let debug = Self.changed(statement) { for number in 0...2 { $0.registers[number] = zeros } }
                        return try authority.document(debug)
                    }
                ),
                ("EVIDENCE_STALE", { try authority.document(Self.changed($0) { $0.time -= 61 }) }),
                ("EVIDENCE_INVALID", { try stranger.document($0) }),
                ("EVIDENCE_INVALID", { _ in replayed }),
                ("EVIDENCE_INVALID", { try authority.document(Self.changed($0) { $0.nonce?[0] ^= 1 }) }),
                ("EVIDENCE_INVALID", { try authority.document($0).dropLast() + [0] }),
                // Evidence for another process's key: the key service answers, and not to this enclave.
                (
                    "KEY_UNAVAILABLE",
                    { try authority.document(Self.changed($0) { $0.publicKey = EphemeralKey().publicKey }) }
                ),
                // The module itself answers with an error.
                ("KEY_UNAVAILABLE", { _ in throw POSIXError(.EINVAL) }),
            ]
            for (code, answer) in cases {
                hardware.module.change(answer)
                await ConnectorAPITests.expectRefusal(code) {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            // Even a debug enclave whose zeros are on the list is refused.
            var policy = try connected.policy.read()
            policy.measurements.insert(Base16.encode(zeros))
            try connected.policy.write(policy)
            hardware.module.change(cases[1].1)
            await ConnectorAPITests.expectRefusal("EVIDENCE_INVALID") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(connected.stage.logged.withLock { $0.contains { $0.contains("debug mode") } })

            hardware.module.change { try authority.document($0) }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            try Self.allow(connected) { $0.registers = [8: [Base16.encode(NitroAuthority.image)]] }
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
        }
    }

    @Test("a machine without the module is named, with what to do", arguments: ["/dev/null", "/nonexistent/nsm"])
    func noModule(_ device: String) async throws {
        await #expect {
            try await NitroEvidence(URL(filePath: device)).measurement()
        } throws: {
            "\($0)".contains(device) && "\($0)".contains("ASSISTANT_EVIDENCE")
        }
    }

    private static func changed(
        _ statement: NitroAuthority.Statement, _ change: (inout NitroAuthority.Statement) -> Void
    ) -> NitroAuthority.Statement {
        var statement = statement
        change(&statement)
        return statement
    }
}
