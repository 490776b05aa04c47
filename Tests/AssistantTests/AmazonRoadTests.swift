import AssistantProcesses
import AttestedKeys
import Encodings
import Foundation
import KeyCustody
import Machine
import Secrets
import TestServers
import TestSupport
import Testing

@testable import Assistant

/// AWS KMS on loopback as the key service, and a Nitro Secure Module of our own.
@Suite("AWS KMS, from the consent to the opened token", .timeLimit(.minutes(3)), .needs("openssl"))
struct AmazonRoadTests {
    private struct Cloud: Sendable {
        let nitro: NitroStage
        let keys: FakeKMS
    }

    private static func run(_ body: @escaping @Sendable (ConnectedStage, Cloud) async throws -> Void) async throws {
        try await FakeKMS.with { keys, url in
            let nitro = try NitroStage()
            let credentials = nitro.folder.appending("credentials")
            try Data("[default]\naws_access_key_id=AKIDROAD\naws_secret_access_key=secret+of+the+road+test/1\n".utf8)
                .write(to: credentials)
            chmod(credentials.path, 0o600)
            let settings = AmazonSettings(
                region: "eu-central-1", keyID: FakeKMS.keyID, credentials: credentials, endpoint: url)
            try await ConnectedStage.run(evidence: nitro.evidence, amazon: settings) {
                try await body($0, Cloud(nitro: nitro, keys: keys))
            }
        }
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
            try connected.allow(NitroStage.image)
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
            try connected.allow(NitroStage.image)
            func expectUnavailable() async {
                await ConnectorAPITests.expectRefusal("KEY_UNAVAILABLE") {
                    try await connected.enclave.accessToken(of: connector, user: user)
                }
            }
            await cloud.keys.allow(images: [String(repeating: "0", count: 96)])
            await expectUnavailable()
            #expect(connected.stage.logged.withLock { $0.contains { $0.contains("AccessDeniedException") } })
            await cloud.keys.allow(images: [NitroStage.image])
            await cloud.keys.fail(503, "")
            await expectUnavailable()
            // Evidence for another process's key: AWS answers, and this enclave cannot read it.
            let authority = cloud.nitro.authority
            let stranger = EphemeralKey().publicKey
            cloud.nitro.module.change { statement in
                var statement = statement
                statement.publicKey = stranger
                return try authority.document(statement)
            }
            await expectUnavailable()
            cloud.nitro.module.change { try authority.document($0) }
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
        }
    }

    @Test("while AWS makes no data keys, a consent waits: its code and its state work afterwards")
    func outage() async throws {
        try await Self.run { connected, cloud in
            let token = try await connected.stage.accessToken()
            let (url, state) = try await connected.start(token)
            let code = try #require(try await connected.consent(url))
            for (status, body) in [(400, #"{"__type":"ThrottlingException"}"#), (503, "")] {
                await cloud.keys.fail(status, body)
                let refused = try await connected.callback(token, code: code, state: state)
                #expect(
                    refused.status == 503 && refused.code == "UNAVAILABLE" && refused.head.header("retry-after") != nil)
                #expect(try refused.text("error_message").contains("try again later"))
            }
            // Google was not asked, so it has given nothing that could be lost.
            #expect(await connected.google.account.refreshTokens.isEmpty)
            let answer = try await connected.callback(token, code: code, state: state)
            #expect(answer.status == 200, "\(answer.json)")
            #expect(await connected.google.account.refreshTokens.count == 1)
            // A state that this service has not given out makes no call to AWS.
            let calls = await cloud.keys.calls.count
            #expect(try await connected.callback(token, code: code, state: "invented").code == "INVALID_STATE")
            #expect(await cloud.keys.calls.count == calls)
        }
    }

    @Test("the API gets data keys under the active key only")
    func otherKey() async throws {
        try await Self.run { connected, cloud in
            let keys = KeyServiceClient(connected.places)
            let (user, connector) = (UUID(), UUID())
            _ = try await keys.prepareSealing(of: user, connector, under: try await keys.sealingKey())
            for key in [
                KeyReference(tokenKeyID: "alias/payroll", tokenVersion: 1),
                KeyReference(tokenKeyID: FakeKMS.keyID, tokenVersion: 2),
            ] {
                await #expect(throws: ProcessSocketError.self) {
                    _ = try await keys.prepareSealing(of: user, connector, under: .generating(key))
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
