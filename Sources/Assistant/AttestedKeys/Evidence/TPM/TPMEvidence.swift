import Crypto
import Encodings
import Foundation

/// Evidence by a TPM 2.0: a quote over registers that the start of the machine has filled, made for one call.
///
/// It proves which firmware, boot loader and kernel have started, and not which program asks: every program that may use the
/// TPM can get one. The form is a CBOR map.
package struct TPMEvidence: Sendable, Hashable {
    private static let members: Set = ["runtime", "quote", "signature", "timestamp", "nonce", "public_key"]

    /// TPMS_ATTEST.
    let quote: [UInt8]
    /// TPMT_SIGNATURE.
    let signature: [UInt8]
    let call: Call

    package init(quote: [UInt8], signature: [UInt8], call: Call) {
        self.quote = quote
        self.signature = signature
        self.call = call
    }

    /// The call to the key service for which a quote is made.
    package struct Call: Sendable, Hashable {
        let nonce: [UInt8]
        let publicKey: [UInt8]
        let milliseconds: Int

        package init(nonce: [UInt8], publicKey: [UInt8], at now: Date) {
            self.init(nonce: nonce, publicKey: publicKey, milliseconds: Int(now.timeIntervalSince1970 * 1000))
        }

        init(nonce: [UInt8], publicKey: [UInt8], milliseconds: Int) {
            self.nonce = nonce
            self.publicKey = publicKey
            self.milliseconds = milliseconds
        }

        /// The quote's extra data, which the TPM signs: SHA-256 over all that belongs to the call.
        package var qualifyingData: [UInt8] {
            Array(
                SHA256.hash(
                    data: CBOR.array([
                        .text("countersign tpm evidence"), .bytes(nonce), .bytes(publicKey), .integer(milliseconds),
                    ]).encoded))
        }
    }

    /// - Throws: ``EvidenceError/malformed(_:)``.
    init(_ bytes: [UInt8]) throws(EvidenceError) {
        let item = try EvidenceError.reading { () throws(CBORError) in try CBOR(bytes) }
        guard case .map(let members) = item, Set(members.keys.compactMap(\.textValue)) == Self.members,
            members.count == Self.members.count, item[.text("runtime")]?.textValue == EvidenceKind.tpm.rawValue,
            let quote = item[.text("quote")]?.bytesValue, let signature = item[.text("signature")]?.bytesValue,
            let milliseconds = item[.text("timestamp")]?.integerValue, let nonce = item[.text("nonce")]?.bytesValue,
            let publicKey = item[.text("public_key")]?.bytesValue
        else { throw .malformed("the evidence is not that of a TPM") }
        self.init(
            quote: quote, signature: signature,
            call: Call(nonce: nonce, publicKey: publicKey, milliseconds: milliseconds))
    }

    package var encoded: [UInt8] {
        CBOR.map([
            .text("runtime"): .text(EvidenceKind.tpm.rawValue), .text("quote"): .bytes(quote),
            .text("signature"): .bytes(signature), .text("timestamp"): .integer(call.milliseconds),
            .text("nonce"): .bytes(call.nonce), .text("public_key"): .bytes(call.publicKey),
        ]).encoded
    }

    /// Returns the digest of the registers that a quote states, in lower-case hex. Nothing is checked.
    ///
    /// - Throws: ``EvidenceError/malformed(_:)``.
    package static func measurement(in quote: [UInt8]) throws(EvidenceError) -> String {
        Base16.encode(try TPMQuote(quote).digest)
    }
}
