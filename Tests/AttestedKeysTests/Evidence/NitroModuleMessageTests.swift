import Encodings
import Testing

@testable import AttestedKeys

@Suite("Messages to the Nitro Secure Module") struct NitroModuleMessageTests {
    private static func fields(_ message: [UInt8]) throws -> [CBOR: CBOR]? {
        guard case .map(let fields)? = try CBOR(message)[.text("Attestation")] else { return nil }
        return fields
    }

    @Test("what is given is sent as bytes")
    func given() throws {
        let fields = try Self.fields(NitroModuleMessage.attestation(nonce: [1, 2], publicKey: [3]))
        #expect(
            fields == [
                .text("user_data"): .null, .text("nonce"): .bytes([1, 2]), .text("public_key"): .bytes([3]),
            ])
    }

    @Test("what is not given is null, and never an empty text of bytes", arguments: [nil, []] as [[UInt8]?])
    func absent(_ bytes: [UInt8]?) throws {
        let fields = try Self.fields(NitroModuleMessage.attestation(nonce: bytes, publicKey: bytes))
        #expect(fields == [.text("user_data"): .null, .text("nonce"): .null, .text("public_key"): .null])
    }

    @Test("a response without a document is refused with the module's reason")
    func refused() {
        let error = CBOR.map([.text("Error"): .text("InvalidArgument")]).encoded
        #expect {
            try NitroModuleMessage.document(in: error)
        } throws: {
            "\($0)".contains("InvalidArgument")
        }
        #expect(throws: EvidenceError.self) { try NitroModuleMessage.document(in: []) }
        #expect(throws: EvidenceError.self) { try NitroModuleMessage.document(in: CBOR.map([:]).encoded) }
    }
}
