import CurlClient
import Encodings
import Foundation
import Secrets
import TestSupport
import Testing

@testable import AttestedKeys

/// moto's KMS verifies our signatures with botocore; boto3 opens the data keys that our client has got.
@Suite("Our client against moto's KMS", .needsPeers) struct AmazonKeysPeerTests {
    @Test(
        "boto3 opens the same data key with the same context only; errors have their codes; hosts and regions are botocore's",
        .timeLimit(.minutes(3)))
    func road() async throws {
        let server = try PeerServer(["aws_kms.py"])
        let setup = try JSONReader.read(try await server.line())
        let urls = (setup["urls"]?.arrayValue ?? []).compactMap(\.stringValue)
        try #require(urls.count == 2, "\(setup)")
        let key = try #require(setup["key_id"]?.stringValue)
        let id = try #require(setup["access_key_id"]?.stringValue)
        let secret = try #require(setup["secret_access_key"]?.stringValue)
        func client(_ secret: String, _ url: String? = nil) throws -> KeyManagementClient {
            var curl = CurlConfiguration()
            curl.keepsCookies = false
            return try KeyManagementClient(
                endpoint: url ?? urls[0], region: "eu-central-1",
                credentials: { AmazonCredentials(accessKeyID: id, secretAccessKey: Secret(secret)) }, curl: curl)
        }
        let context = ["user_id": "9f0c", "connector_id": "ü", "token_version": "1"]
        let made = try await client(secret).generateDataKey(key: key, context: context)
        // Over IPv6, and by a name in another case, the signature counts too.
        for url in [urls[1], urls[0].replacing("127.0.0.1", with: "LocalHost")] {
            _ = try await client(secret, url).generateDataKey(key: key, context: context)
        }
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

        for url in [
            "https://kms.example", "https://KMS.example:443/", "https://kms.example:8443", "https://kms.example:80",
            "http://127.0.0.1:80", "http://127.0.0.1:443", "http://[::1]:5000", "https://[2001:DB8::1]:443/",
        ] {
            try server.write((["url": .string(url)] as JSONValue).compactText())
            let host = try JSONReader.read(try await server.line())["host"]?.stringValue
            #expect(try ServiceEndpoint(url).host == host, "\(url)")
        }
        let addresses = try #require(setup["addresses"]?.objectValue)
        #expect(addresses.count > 30)
        for (region, address) in addresses {
            #expect(address.stringValue == ServiceEndpoint.keyManagement(in: region))
        }
        server.end()
    }
}
