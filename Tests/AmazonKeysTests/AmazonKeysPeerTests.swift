import CurlClient
import Foundation
import JSON
import Secrets
import TestSupport
import Testing

@testable import AmazonKeys

/// moto's KMS verifies our signatures with botocore; boto3 opens the data keys that our client has got.
@Suite("Our client against moto's KMS", .needsPeers) struct AmazonKeysPeerTests {
    @Test("boto3 opens the same data key with the same context only; errors have their codes", .timeLimit(.minutes(3)))
    func road() async throws {
        let server = try PeerServer(["aws_kms.py"])
        let setup = try JSONReader.read(try await server.line())
        let port = try #require(setup["port"]?.intValue, "\(setup)")
        let key = try #require(setup["key_id"]?.stringValue)
        let id = try #require(setup["access_key_id"]?.stringValue)
        let secret = try #require(setup["secret_access_key"]?.stringValue)
        func client(_ secret: String) throws -> KeyManagementClient {
            var curl = CurlConfiguration()
            curl.keepsCookies = false
            return try KeyManagementClient(
                endpoint: "http://127.0.0.1:\(port)", region: "eu-central-1",
                credentials: { AmazonCredentials(accessKeyID: id, secretAccessKey: Secret(secret)) }, curl: curl)
        }
        let context = ["user_id": "9f0c", "connector_id": "ü", "token_version": "1"]
        let made = try await client(secret).generateDataKey(key: key, context: context)
        func opened(_ context: [String: String]) async throws -> JSONValue {
            let question: JSONValue = [
                "wrapped": .string(Data(made.wrapped).base64EncodedString()),
                "context": .object(context.mapValues(JSONValue.string)),
            ]
            try server.write(question.compactText())
            return try JSONReader.read(try await server.line())
        }
        let plain = try await opened(context)["plain"]?.stringValue.flatMap { Data(base64Encoded: $0) }
        #expect(made.dataKey.isEqual(toBytes: try #require(plain)))
        #expect(try await opened(["user_id": "9f0d"])["error"] == "InvalidCiphertextException")

        func code(_ secret: String, _ key: String) async -> KeyManagementError.Code? {
            do {
                _ = try await client(secret).generateDataKey(key: key, context: context)
                return nil
            } catch {
                return (error as? KeyManagementError)?.code
            }
        }
        #expect(await code(secret, key) == nil)
        #expect(await code(secret, "00000000-0000-0000-0000-000000000000") == .noKey)
        #expect(await code("another secret access key, of this test only", key) == .credentials)
        server.end()
    }
}
