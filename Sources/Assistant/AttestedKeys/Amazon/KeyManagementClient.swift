import CurlClient
import Encodings
import Foundation
import Secrets

/// Calls AWS KMS (AWS Key Management Service API Reference, version 2014-11-01).
package struct KeyManagementClient: Sendable {
    private let endpoint: ServiceEndpoint
    private let signing: SignatureV4
    private let credentials: @Sendable () throws -> AmazonCredentials
    private let curl: CurlConfiguration
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - endpoint: `https://`, or `http://` and a loopback host, without a path.
    ///   - credentials: are read for each call, so that temporary ones can be renewed.
    /// - Throws: ``AmazonKeysError`` when the endpoint has no host.
    package init(
        endpoint: String, region: String, credentials: @escaping @Sendable () throws -> AmazonCredentials,
        curl: CurlConfiguration, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(AmazonKeysError) {
        self.endpoint = try ServiceEndpoint(endpoint)
        signing = SignatureV4(region: region, service: "kms")
        self.credentials = credentials
        self.curl = curl
        self.now = now
    }

    /// Makes a data key of 256 bits.
    ///
    /// - Parameter context: what the key is bound to. ``decrypt(_:key:context:for:)`` needs the same.
    /// - Returns: the key, and the same key encrypted under the master key.
    /// - Throws: ``KeyManagementError``, ``AmazonKeysError``, `CurlError`.
    package func generateDataKey(
        key: String, context: [String: String]
    ) async throws -> (dataKey: Secret, wrapped: [UInt8]) {
        let answer = try await call(
            "GenerateDataKey", ["KeyId": .string(key), "KeySpec": "AES_256", "EncryptionContext": Self.json(context)])
        guard var plain = Self.bytes(answer["Plaintext"]), let wrapped = Self.bytes(answer["CiphertextBlob"]) else {
            throw KeyManagementError(code: .malformed, message: "the answer has no Plaintext or no CiphertextBlob")
        }
        defer { plain.wipe() }
        guard plain.count == 32 else {
            throw KeyManagementError(code: .malformed, message: "the data key does not have 256 bits")
        }
        return (Secret(bytes: plain), wrapped)
    }

    /// Decrypts a data key for a Nitro enclave.
    ///
    /// - Parameter document: the enclave's attestation document, which has an RSA key.
    /// - Returns: the data key, encrypted to that key: a CMS message for ``RSARecipientKey``. The key itself does not pass
    ///   through this process.
    /// - Throws: ``KeyManagementError``, ``AmazonKeysError``, `CurlError`.
    package func decrypt(
        _ wrapped: [UInt8], key: String, context: [String: String], for document: [UInt8]
    ) async throws -> [UInt8] {
        let answer = try await call(
            "Decrypt",
            [
                "KeyId": .string(key), "CiphertextBlob": Self.text(wrapped), "EncryptionContext": Self.json(context),
                "Recipient": [
                    "KeyEncryptionAlgorithm": "RSAES_OAEP_SHA_256", "AttestationDocument": Self.text(document),
                ],
            ])
        guard let message = Self.bytes(answer["CiphertextForRecipient"]) else {
            throw KeyManagementError(code: .malformed, message: "the answer has no CiphertextForRecipient")
        }
        return message
    }

    private func call(_ action: String, _ parameters: JSONValue) async throws -> JSONValue {
        var request = SignatureV4.Request("POST", host: endpoint.host)
        request.headers = [
            ("content-type", "application/x-amz-json-1.1"), ("x-amz-target", "TrentService.\(action)"),
        ]
        request.body = parameters.compactBytes()
        let signed = signing.headers(for: request, try credentials(), at: now())
        // The signature is over this very host. libcurl would write an IPv6 address in another form than the given one.
        let headers =
            [HTTPHeader("Host", request.host)] + request.headers.map { HTTPHeader($0.name, $0.value) }
            + signed.map { HTTPHeader($0.name, $0.value.revealed()) }
        // A session makes one exchange at a time, so each call has its own.
        let session = CurlSession(curl)
        do {
            let response = try await session.send(
                HTTPRequest("POST", endpoint.url, headers: headers, body: request.body))
            await session.close()
            return try Self.result(response)
        } catch {
            await session.close()
            throw error
        }
    }

    private static func result(_ response: HTTPResponse) throws -> JSONValue {
        let json = try? JSONReader.read(response.body)
        guard response.status == 200 else {
            throw KeyManagementError(status: response.status, json ?? .null)
        }
        guard let json else { throw KeyManagementError(code: .malformed, message: "the answer is not JSON") }
        return json
    }

    private static func json(_ context: [String: String]) -> JSONValue { .object(context.mapValues(JSONValue.string)) }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? {
        json?.stringValue.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

/// A refusal by AWS KMS, or an answer that AWS KMS does not give.
package struct KeyManagementError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// The policy of the key, or the account's, does not allow the call. With a recipient also when the enclave's
        /// measurement is not the one of the policy.
        case denied
        /// The signature or the credentials do not count.
        case credentials
        /// The data key was changed, or belongs to another user, connector or master key.
        case wrongKeyOrContext
        /// The key does not exist, is disabled, or is about to be deleted.
        case noKey
        case throttled
        case unavailable
        case malformed
        case refused
    }

    package let code: Code
    package let message: String

    init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Reads an error of the service's JSON protocol.
    init(status: Int, _ json: JSONValue) {
        // The name may have a namespace in front.
        let name = json["__type"]?.stringValue?.split(separator: "#").last.map(String.init) ?? ""
        let text = json["message"]?.stringValue ?? json["Message"]?.stringValue ?? "status \(status)"
        self.init(code: Self.code(name, status), message: name.isEmpty ? text : "\(name): \(text)")
    }

    private static func code(_ name: String, _ status: Int) -> Code {
        switch name {
        case "AccessDeniedException": .denied
        case "InvalidSignatureException", "UnrecognizedClientException", "ExpiredTokenException",
            "IncompleteSignatureException", "MissingAuthenticationTokenException":
            .credentials
        case "InvalidCiphertextException", "IncorrectKeyException": .wrongKeyOrContext
        case "NotFoundException", "DisabledException", "KMSInvalidStateException", "InvalidKeyUsageException": .noKey
        case "ThrottlingException", "LimitExceededException": .throttled
        // Some gateways refuse a signature in another form than the service's JSON.
        default: status >= 500 ? .unavailable : status == 403 ? .credentials : .refused
        }
    }

    package var description: String {
        switch code {
        case .denied:
            "AWS KMS does not allow this call (\(message)). Check the key's policy and the enclave's measurement"
        case .credentials: "AWS KMS does not accept the credentials (\(message)). Renew those in their file"
        case .wrongKeyOrContext:
            "AWS KMS cannot open the data key: it was changed, or belongs to another user, connector or key (\(message))"
        case .noKey: "AWS KMS has no usable key of this id (\(message))"
        case .throttled: "AWS KMS asks for fewer calls (\(message))"
        case .unavailable: "AWS KMS is not available now (\(message))"
        case .malformed: "the answer does not have the form of AWS KMS: \(message). Check ASSISTANT_AWS_KMS_URL"
        case .refused: "AWS KMS refused the call: \(message)"
        }
    }
}
