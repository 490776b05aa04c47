import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import Machine
import Synchronization
import TestServers
import TestSupport
import Testing

@testable import Assistant
@testable import KeyCustody

/// A Nitro Secure Module of our own, under a root of our own, behind the enclave of an assistant.
@Suite("Nitro evidence, from the enclave's call to the opened token", .timeLimit(.minutes(3))) struct NitroRoadTests {
    private static func run(
        _ body: @escaping @Sendable (ConnectedStage, NitroStage) async throws -> Void
    ) async throws {
        let nitro = try NitroStage()
        try await ConnectedStage.run(evidence: nitro.evidence) { try await body($0, nitro) }
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
            try connected.allow(NitroStage.image)
            let access = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(access.runtime == "nitro" && access.measurement == NitroStage.image)
            try connected.allow(NitroStage.image) { $0.registers = [8: [Base16.encode(NitroAuthority.signer)]] }
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
        try await Self.run { connected, nitro in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try connected.allow(NitroStage.image)
            let authority = nitro.authority
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
                nitro.module.change(answer)
                await ConnectorAPITests.expectRefusal(code) {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            // Even a debug enclave whose zeros are on the list is refused.
            try connected.allow(NitroStage.image) { $0.measurements.insert(Base16.encode(zeros)) }
            nitro.module.change(cases[1].1)
            await ConnectorAPITests.expectRefusal("EVIDENCE_INVALID") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(connected.stage.logged.withLock { $0.contains { $0.contains("debug mode") } })

            nitro.module.change { try authority.document($0) }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            try connected.allow(NitroStage.image) { $0.registers = [8: [NitroStage.image]] }
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
        }
    }

    @Test("the enclave asks the module without a nonce and a key when it starts, and with both for a call")
    func questions() async throws {
        let nitro = try NitroStage()
        let asked = Mutex<[NitroAuthority.Statement]>([])
        let authority = nitro.authority
        nitro.module.change { statement in
            asked.withLock { $0.append(statement) }
            return try authority.document(statement)
        }
        let provider = NitroEvidence(nitro.module.socket)
        #expect(try await provider.measurement() == NitroStage.image)
        _ = try await provider.evidence(nonce: [1], publicKey: [2], at: .distantPast)
        let statements = asked.withLock { $0 }
        #expect(statements.map(\.nonce) == [nil, [1]] && statements.map(\.publicKey) == [nil, [2]])
    }

    @Test("the module of these tests takes null, and no empty text of bytes", arguments: ["nonce", "public_key"])
    func empty(_ field: String) async throws {
        let nitro = try NitroStage()
        let socket = ProcessSocketClient(nitro.module.socket, servedBy: [geteuid()])
        func answer(_ value: CBOR) async throws -> CBOR {
            let fields: [CBOR: CBOR] = [.text("user_data"): .null, .text(field): value]
            return try CBOR(await socket.exchange(CBOR.map([.text("Attestation"): .map(fields)]).encoded))
        }
        #expect(try await answer(.bytes([]))[.text("Error")]?.textValue == "InvalidArgument")
        #expect(try await answer(.null)[.text("Attestation")]?[.text("document")] != nil)
        #expect(try await answer(.bytes([1]))[.text("Attestation")]?[.text("document")] != nil)
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
