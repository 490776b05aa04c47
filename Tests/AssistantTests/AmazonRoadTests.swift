import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import JSON
import KeyService
import LoopbackKMS
import LoopbackNitro
import ProcessSockets
import Secrets
import TestSupport
import Testing

@testable import Assistant

/// AWS KMS on loopback as the key service, and a Nitro Secure Module of our own.
@Suite("AWS KMS, from the consent to the opened token", .timeLimit(.minutes(3)), .needs("openssl"))
struct AmazonRoadTests {
    private struct Cloud: Sendable {
        let authority: NitroAuthority
        let module: NitroModuleServer
        let keys: FakeKMS
        let settings: AmazonSettings
    }

    private static func run(_ body: @escaping @Sendable (ConnectedStage, Cloud) async throws -> Void) async throws {
        try await FakeKMS.with { keys, url in
            let folder = try TemporaryFolder()
            let credentials = folder.appending("credentials")
            try Data("[default]\naws_access_key_id=AKIDROAD\naws_secret_access_key=secret+of+the+road+test/1\n".utf8)
                .write(to: credentials)
            chmod(credentials.path, 0o600)
            let authority = try NitroAuthority(at: AssistantStage.start)
            let module = try NitroModuleServer(folder.appending("nsm.sock"), at: AssistantStage.start) {
                try authority.document($0)
            }
            var evidence = EvidenceSettings()
            evidence.kind = .nitro
            evidence.nitroDevice = module.socket
            evidence.nitroRoot = authority.rootDigest
            let cloud = Cloud(
                authority: authority, module: module, keys: keys,
                settings: AmazonSettings(
                    region: "eu-central-1", keyID: FakeKMS.keyID, credentials: credentials, endpoint: url))
            try await ConnectedStage.run(evidence: evidence, amazon: cloud.settings) { try await body($0, cloud) }
        }
    }

    private static func allowImage(_ connected: ConnectedStage) throws {
        var policy = try connected.policy.read()
        policy.measurements = [Base16.encode(NitroAuthority.image)]
        try connected.policy.write(policy)
    }

    @Test("AWS makes the data key, and opens it for the allowed enclave")
    func road() async throws {
        try await Self.run { connected, cloud in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            let key = KeyReference(tokenKeyID: FakeKMS.keyID, tokenVersion: 1)
            #expect(try connected.policy.read().activeKey == key)
            let stored = try #require(
                try await connected.stage.openDatabase().connectors.connector(connector, of: user))
            #expect(stored.tokenKeyID == FakeKMS.keyID && stored.tokenVersion == 1)

            // Our check comes first: AWS is not asked for an image that the policy does not allow.
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            #expect(await cloud.keys.calls.map(\.action) == ["TrentService.GenerateDataKey"])
            try Self.allowImage(connected)
            let access = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(access.runtime == "nitro")

            let calls = await cloud.keys.calls
            let context: JSONValue = [
                "user_id": .string(user.uuidString.lowercased()),
                "connector_id": .string(connector.uuidString.lowercased()), "token_version": "1",
            ]
            #expect(calls.map { $0.body["EncryptionContext"] } == [context, context])
            #expect(
                !FileManager.default.fileExists(atPath: connected.places.state.appending(path: "kms/master.keys").path))
        }
    }

    @Test("AWS's own policy, an outage, and a changed token open nothing; the connection stays")
    func refusals() async throws {
        try await Self.run { connected, cloud in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try Self.allowImage(connected)
            func expectUnavailable() async {
                await ConnectorAPITests.expectRefusal("KEY_UNAVAILABLE") {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            await cloud.keys.allow(images: [String(repeating: "0", count: 96)])
            await expectUnavailable()
            #expect(connected.stage.logged.withLock { $0.contains { $0.contains("AccessDeniedException") } })
            await cloud.keys.allow(images: [Base16.encode(NitroAuthority.image)])
            await cloud.keys.fail(503, "")
            await expectUnavailable()
            // Evidence for another process's key: AWS answers, and this enclave cannot read it.
            let authority = cloud.authority
            let stranger = EphemeralKey().publicKey
            cloud.module.change { statement in
                var statement = statement
                statement.publicKey = stranger
                return try authority.document(statement)
            }
            await expectUnavailable()
            cloud.module.change { try authority.document($0) }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
            // Its own errors are told: nothing of them says anything of the key.
            await cloud.keys.fail(400, #"{"__type":"ThrottlingException"}"#)
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            #expect(try await connected.callback(token, code: code, state: state).status == 503)
        }
    }

    @Test("the API gets data keys under the active key only")
    func otherKey() async throws {
        try await Self.run { connected, cloud in
            let keys = KeyServiceClient(connected.places)
            let token = Secret("a refresh token of this test alone")
            let (user, connector) = (UUID(), UUID())
            _ = try await keys.seal(token, of: user, connector, under: try await keys.sealingKey())
            for key in [
                KeyReference(tokenKeyID: "alias/payroll", tokenVersion: 1),
                KeyReference(tokenKeyID: FakeKMS.keyID, tokenVersion: 2),
            ] {
                await #expect(throws: ProcessSocketError.self) {
                    try await keys.seal(token, of: user, connector, under: .generating(key))
                }
            }
            #expect(await cloud.keys.calls.count == 1)
        }
    }

    @Test("our master keys are not rotated where AWS has them")
    func rotation() async throws {
        try await Self.run { connected, _ in
            await #expect {
                _ = try await KeyRotation(connected.keyService).rotate(at: connected.stage.now)
            } throws: {
                "\($0)".contains("automatic rotation")
            }
        }
    }
}
