import CurlClient
import Foundation
import Secrets
import TestServers
import TestSupport
import Testing

@testable import AttestedKeys

@Suite("Calls to AWS KMS", .needs("openssl")) struct KeyManagementClientTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let context = ["user_id": "u", "connector_id": "c"]

    @Sendable private static func credentials() throws -> AmazonCredentials {
        AmazonCredentials(
            accessKeyID: "AKIDKMSTEST", secretAccessKey: Secret("secret access key of the KMS tests only"))
    }

    private static func client(_ url: String) throws -> KeyManagementClient {
        var curl = CurlConfiguration()
        curl.keepsCookies = false
        return try KeyManagementClient(
            endpoint: url, region: "eu-central-1", credentials: credentials, curl: curl, now: { now })
    }

    @Test("a data key is made, and comes back encrypted to the key of an attestation document")
    func road() async throws {
        try await FakeKMS.with { service, url in
            let client = try Self.client(url)
            let made = try await client.generateDataKey(key: FakeKMS.keyID, context: Self.context)
            let recipient = try RSARecipientKey()
            let document = try NitroAuthority(at: Self.now)
                .document(.init(at: Self.now, nonce: [1], publicKey: recipient.publicKey))
            let message = try await client.decrypt(
                made.wrapped, key: FakeKMS.keyID, context: Self.context, for: document)
            #expect(made.dataKey.isEqual(to: try recipient.open(message, nonce: [1])))
            #expect(made.dataKey.count == 32)

            let calls = await service.calls
            #expect(calls.map(\.action) == ["TrentService.GenerateDataKey", "TrentService.Decrypt"])
            for call in calls {
                #expect(call.headers["content-type"] == "application/x-amz-json-1.1")
                #expect(call.headers["x-amz-date"] == "20270115T080000Z")
                #expect(
                    call.headers["authorization"]?.hasPrefix(
                        "AWS4-HMAC-SHA256 Credential=AKIDKMSTEST/20270115/eu-central-1/kms/aws4_request, SignedHeaders="
                            + "content-type;host;x-amz-date;x-amz-target, Signature=") == true)
            }
        }
    }

    @Test("another context, key or document opens nothing, each with its code")
    func refused() async throws {
        try await FakeKMS.with { service, url in
            let client = try Self.client(url)
            let made = try await client.generateDataKey(key: FakeKMS.keyID, context: Self.context)
            let document = try NitroAuthority(at: Self.now)
                .document(.init(at: Self.now, publicKey: try RSARecipientKey().publicKey))
            func code(_ key: String, _ context: [String: String], _ wrapped: [UInt8]) async -> KeyManagementError.Code?
            {
                do {
                    _ = try await client.decrypt(wrapped, key: key, context: context, for: document)
                    return nil
                } catch {
                    return (error as? KeyManagementError)?.code
                }
            }
            #expect(await code(FakeKMS.keyID, Self.context, made.wrapped) == nil)
            #expect(await code(FakeKMS.keyID, ["user_id": "v"], made.wrapped) == .wrongKeyOrContext)
            #expect(await code(FakeKMS.keyID, Self.context, made.wrapped + [0]) == .wrongKeyOrContext)
            #expect(await code("another-key", Self.context, made.wrapped) == .noKey)
            await service.allow(images: [String(repeating: "0", count: 96)])
            #expect(await code(FakeKMS.keyID, Self.context, made.wrapped) == .denied)
            for (status, body, expected) in [
                (400, #"{"__type":"com.amazonaws.kms#ThrottlingException","message":"Rate exceeded"}"#, .throttled),
                (400, #"{"__type":"ExpiredTokenException"}"#, .credentials), (500, "", .unavailable),
                (403, "<ErrorResponse>", .credentials),
                (503, "<html>", .unavailable), (400, #"{"__type":"ValidationException"}"#, .refused),
                (200, "not JSON", .malformed), (200, "{}", .malformed), (200, #"{"Plaintext":"AAAA"}"#, .malformed),
            ] as [(Int, String, KeyManagementError.Code)] {
                await service.fail(status, body)
                #expect(await code(FakeKMS.keyID, Self.context, made.wrapped) == expected, "\(body)")
            }
            await service.fail(200, #"{"Plaintext":"AAAA","CiphertextBlob":"AAAA"}"#)
            await #expect {
                _ = try await client.generateDataKey(key: FakeKMS.keyID, context: [:])
            } throws: {
                ($0 as? KeyManagementError)?.code == .malformed
            }
        }
    }

    @Test("the host that is signed is the one that is sent", arguments: ["127.0.0.1", "LOCALHOST", "127.0.0.1:0"])
    func host(_ name: String) async throws {
        try await FakeKMS.with { service, url in
            let port = try #require(URL(string: url)?.port)
            let host = name.split(separator: ":")[0]
            _ = try await Self.client("http://\(host):\(name.contains(":") ? "0" : "")\(port)")
                .generateDataKey(key: FakeKMS.keyID, context: [:])
            let call = try #require(await service.calls.first)
            let sent = try #require(call.headers["host"])
            #expect(sent == "\(host.lowercased()):\(port)")
            var request = SignatureV4.Request("POST", host: sent)
            request.headers = [
                ("content-type", "application/x-amz-json-1.1"), ("x-amz-target", "TrentService.GenerateDataKey"),
            ]
            request.body = call.raw
            let signed = SignatureV4(region: "eu-central-1", service: "kms")
                .headers(for: request, try Self.credentials(), at: Self.now)
            let expected = signed.first { $0.name == "authorization" }?.value.revealed()
            #expect(call.headers["authorization"] == expected)
        }
    }

    @Test("an address without a host, or with a path, is not a key service", arguments: ["", "kms", "https://h/path"])
    func addresses(_ url: String) {
        #expect(throws: AmazonKeysError.self) { try Self.client(url) }
    }
}
