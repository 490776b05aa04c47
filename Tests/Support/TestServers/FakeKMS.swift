import Crypto
import CryptoExtras
import Encodings
import Foundation
import Hummingbird
import NIOCore
import TestSupport
import X509

/// AWS KMS on loopback: GenerateDataKey, and Decrypt for the recipient of an attestation document. The CMS messages are
/// made by `openssl cms`.
package actor FakeKMS {
    package struct Call: Sendable {
        package let action: String
        /// With names in lower case.
        package let headers: [String: String]
        package let body: JSONValue
        /// The bytes of ``body``.
        package let raw: [UInt8]
    }

    package static let keyID = "arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-1111-2222-3333-444455556666"

    package private(set) var calls: [Call] = []
    private var dataKeys: [[UInt8]: (plain: [UInt8], context: JSONValue)] = [:]
    private var images: Set<String>?
    private var faults: [(status: Int, body: String)] = []

    package init() {}

    /// Opens data keys for these images only, as a key's policy does with `kms:RecipientAttestation:ImageSha384`.
    package func allow(images: Set<String>) { self.images = images }

    /// Answers the next call with this.
    package func fail(_ status: Int, _ body: String) { faults.append((status, body)) }

    /// Encrypts bytes to an RSA key: a CMS message like that of AWS, in BER with indefinite lengths.
    package static func message(_ plain: [UInt8], to publicKey: [UInt8]) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let signer = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("recipient") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(),
            publicKey: .init(try _RSA.Signing.PublicKey(derRepresentation: publicKey)),
            notValidBefore: Date() - 3600, notValidAfter: Date() + 86_400, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(), issuerPrivateKey: .init(signer))
        let file = folder.appending("recipient.pem")
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: file)
        let outcome = try await ChildProcess.run(
            URL(filePath: "/usr/bin/openssl"),
            [
                "cms", "-encrypt", "-binary", "-stream", "-indef", "-aes-256-cbc", "-outform", "DER", "-recip",
                file.path,
                "-keyopt", "rsa_padding_mode:oaep", "-keyopt", "rsa_oaep_md:sha256",
            ], input: Data(plain))
        guard outcome.status == 0 else { throw FakeKMSError(outcome.text) }
        return Array(outcome.output)
    }

    private func answer(_ call: Call) async throws -> (status: Int, body: String) {
        calls.append(call)
        if !faults.isEmpty { return faults.removeFirst() }
        guard call.body["KeyId"] == .string(Self.keyID) else {
            return (400, #"{"__type":"NotFoundException","message":"Key does not exist"}"#)
        }
        let context = call.body["EncryptionContext"] ?? [:]
        switch call.action {
        case "TrentService.GenerateDataKey":
            let plain = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
            let blob = Array("blob \(UUID().uuidString)".utf8)
            dataKeys[blob] = (plain, context)
            let answer: JSONValue = [
                "KeyId": .string(Self.keyID), "Plaintext": Self.text(plain), "CiphertextBlob": Self.text(blob),
            ]
            return (200, answer.compactText())
        case "TrentService.Decrypt":
            guard let blob = Self.bytes(call.body["CiphertextBlob"]), let key = dataKeys[blob], key.context == context
            else {
                return (400, #"{"__type":"InvalidCiphertextException"}"#)
            }
            guard call.body["Recipient"]?["KeyEncryptionAlgorithm"] == "RSAES_OAEP_SHA_256",
                let document = Self.bytes(call.body["Recipient"]?["AttestationDocument"]),
                let payload = try CBOR(document).arrayValue?[2].bytesValue, case let statement = try CBOR(payload),
                let publicKey = statement[.text("public_key")]?.bytesValue,
                let image = statement[.text("pcrs")]?[.integer(0)]?.bytesValue
            else { return (400, #"{"__type":"ValidationException","message":"no recipient"}"#) }
            if let images, !images.contains(Base16.encode(image)) {
                return (400, #"{"__type":"AccessDeniedException","Message":"no statement of the policy allows it"}"#)
            }
            let message = try await Self.message(key.plain, to: publicKey)
            let answer: JSONValue = [
                "KeyId": .string(Self.keyID), "Plaintext": .null, "CiphertextForRecipient": Self.text(message),
                "EncryptionAlgorithm": "SYMMETRIC_DEFAULT",
            ]
            return (200, answer.compactText())
        default: return (400, #"{"__type":"UnknownOperationException"}"#)
        }
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? {
        json?.stringValue.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }

    /// Runs the service while `body` runs.
    package static func with<Success: Sendable>(
        _ body: @escaping @Sendable (FakeKMS, _ url: String) async throws -> Success
    ) async throws -> Success {
        let service = FakeKMS()
        let router = Router()
        router.post("/") { request, _ in
            let content = try await request.body.collect(upTo: 1 << 20)
            var headers = Dictionary(
                request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 })
            headers["host"] = request.head.authority
            let call = Call(
                action: headers["x-amz-target"] ?? "", headers: headers,
                body: try JSONReader.read(Array(content.readableBytesView)), raw: Array(content.readableBytesView))
            let answer = try await service.answer(call)
            return Response(
                status: .init(code: answer.status), headers: [.contentType: "application/x-amz-json-1.1"],
                body: .init(byteBuffer: ByteBuffer(string: answer.body)))
        }
        return try await LoopbackServer.run(router) { port in try await body(service, "http://127.0.0.1:\(port)") }
    }
}

private struct FakeKMSError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
