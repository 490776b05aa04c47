import Encodings

/// The messages to and from the Nitro Secure Module, in CBOR (aws-nitro-enclaves-nsm-api, "src/api/mod.rs", `Request` and
/// `Response`).
package enum NitroModuleMessage {
    /// The longest message in either direction (the driver's `NSM_RESPONSE_MAX_SIZE`).
    package static let limit = 0x3000

    /// Asks for an attestation document.
    ///
    /// - Parameters:
    ///   - nonce: what the document repeats. Nil, or no bytes, for none.
    ///   - publicKey: the key that the document states. Nil, or no bytes, for none.
    package static func attestation(nonce: [UInt8]? = nil, publicKey: [UInt8]? = nil) -> [UInt8] {
        // A field that is not given is null: the module does not take an empty text of bytes.
        func field(_ bytes: [UInt8]?) -> CBOR {
            guard let bytes, !bytes.isEmpty else { return .null }
            return .bytes(bytes)
        }
        return CBOR.map([
            .text("Attestation"): .map([
                .text("user_data"): .null, .text("nonce"): field(nonce), .text("public_key"): field(publicKey),
            ])
        ]).encoded
    }

    /// Reads the attestation document from a response.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``, with the module's own reason if it gives one.
    package static func document(in response: [UInt8]) throws(EvidenceError) -> [UInt8] {
        let message = try EvidenceError.reading { () throws(CBORError) in try CBOR(response) }
        if let reason = message[.text("Error")]?.textValue {
            throw .malformed("the Nitro Secure Module made no attestation document: \(reason)")
        }
        guard let document = message[.text("Attestation")]?[.text("document")]?.bytesValue else {
            throw .malformed("the Nitro Secure Module's response has no attestation document")
        }
        return document
    }
}
