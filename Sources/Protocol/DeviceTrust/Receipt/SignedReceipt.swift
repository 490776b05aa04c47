import Encodings
import Foundation

/// A receipt in a DSSE envelope (Dead Simple Signing Envelope 1.0), signed by the broker.
package struct SignedReceipt: Sendable, Hashable {
    package static let payloadType = "application/vnd.in-toto+json"
    /// The largest file of a receipt, in bytes.
    package static let largest = 1 << 20

    /// The envelope.
    package let json: JSONValue

    /// Signs a receipt.
    package init(_ receipt: Receipt, with key: ReceiptKey) throws {
        let payload = try receipt.statement(signedBy: key.publicKey).canonicalBytes()
        let signature = try key.signature(of: Self.preAuthenticationEncoding(payload))
        json = [
            "payloadType": .string(Self.payloadType), "payload": .string(Data(payload).base64EncodedString()),
            "signatures": [
                ["keyid": .string(key.publicKey.id), "sig": .string(Data(signature).base64EncodedString())]
            ],
        ]
    }

    /// The file of the receipt: canonical JSON and a line feed.
    package var file: [UInt8] {
        // An object of texts always has a canonical form.
        ((try? json.canonicalBytes()) ?? []) + [0x0A]
    }

    /// The bytes that are signed (DSSE, protocol.md).
    static func preAuthenticationEncoding(_ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(payloadType.utf8.count) \(payloadType) \(payload.count) ".utf8) + payload
    }
}

/// A receipt whose signatures were checked: the broker's over the whole, and each device's over its approval.
package struct VerifiedReceipt: Sendable, Hashable {
    package let receipt: Receipt
    /// The key of the broker that signed it. Whether it is the right one, only its owner can say.
    package let key: ReceiptPublicKey

    /// Verifies a receipt without a network.
    ///
    /// - Parameters:
    ///   - file: the bytes of ``SignedReceipt/file``, and no others: a receipt has one spelling.
    ///   - id: the ``ReceiptPublicKey/id`` of the broker that is expected; nil to take the key that the receipt names.
    /// - Throws: ``TrustError`` with the reason.
    package init(file: [UInt8], signedBy id: String? = nil) throws(TrustError) {
        guard file.count <= SignedReceipt.largest, let json = try? JSONReader.read(file) else {
            throw TrustError(.malformed, "this is not a receipt, which is a JSON file")
        }
        guard let spelling = try? json.canonicalBytes(), spelling + [0x0A] == file else {
            throw TrustError(.malformed, "this is not a receipt as a broker writes it, or it was changed since")
        }
        let envelope = try TrustFields(json, "the receipt", exactly: ["payloadType", "payload", "signatures"])
        guard envelope.object("payloadType").stringValue == SignedReceipt.payloadType,
            let signatures = envelope.object("signatures").arrayValue, signatures.count == 1
        else { throw TrustError(.malformed, "the receipt's envelope is of another kind") }
        let signature = try TrustFields(signatures[0], "the receipt's signature", exactly: ["keyid", "sig"])
        let payload = try envelope.read("payload", "base64", Self.bytes)
        guard let statement = try? JSONReader.read(payload), (try? statement.canonicalBytes()) == payload,
            let key = statement["predicate"]?["receipt_key"]?.stringValue.flatMap(ReceiptPublicKey.init(pem:))
        else { throw TrustError(.malformed, "the receipt's statement cannot be read") }
        guard id == nil || id == key.id else {
            throw TrustError(.otherServer, "another broker signed this receipt: its key is \(key.id)")
        }
        guard signature.object("keyid").stringValue == key.id,
            key.isValid(
                try signature.read("sig", "base64", Self.bytes), for: SignedReceipt.preAuthenticationEncoding(payload))
        else {
            throw TrustError(.badSignature, "the receipt was changed after the broker signed it")
        }
        receipt = try Receipt(statement: statement, signedBy: key)
        self.key = key
    }

    /// Reads base64 in its one spelling.
    private static func bytes(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}
