import Crypto
import Encodings
import Foundation
import Testing

@testable import AttestedKeys

@Suite("Nitro: the form of a document") struct NitroDocumentTests {
    static let whole: [CBOR: CBOR] = [
        .text("module_id"): .text("i-1-enc1"), .text("digest"): .text("SHA384"), .text("timestamp"): .integer(1),
        .text("pcrs"): .map([.integer(0): .bytes([UInt8](repeating: 1, count: 48))]),
        .text("certificate"): .bytes([1]), .text("cabundle"): .array([.bytes([1])]),
        .text("public_key"): .bytes([7]), .text("user_data"): .null, .text("nonce"): .bytes([8]),
    ]

    @Test("its fields are read")
    func read() throws {
        let document = try NitroDocument(CBOR.map(Self.whole).encoded)
        #expect(document.publicKey == [7])
        #expect(document.userData == nil)
        #expect(document.nonce == [8])
        #expect(!document.isDebug)
    }

    @Test(
        "a field that is absent or of a wrong form is refused",
        arguments: [
            ("module_id", .null), ("module_id", .text("")), ("digest", .text("SHA256")), ("timestamp", .integer(0)),
            ("timestamp", .text("1")), ("pcrs", .map([:])), ("pcrs", .map([.integer(32): .bytes(Self.zeros(48))])),
            ("pcrs", .map([.integer(0): .bytes(Self.zeros(47))])),
            ("pcrs", .map([.integer(1): .bytes(Self.zeros(48))])),
            ("certificate", .bytes([])), ("certificate", .bytes(Self.zeros(1025))), ("cabundle", .array([])),
            ("cabundle", .array([.text("x")])), ("cabundle", .array(Array(repeating: .bytes([1]), count: 17))),
            ("public_key", .text("x")), ("user_data", .bytes(Self.zeros(1025))), ("nonce", .integer(1)),
        ] as [(String, CBOR)])
    func refused(_ name: String, _ value: CBOR) {
        var members = Self.whole
        members[.text(name)] = value
        #expect(throws: EvidenceError.self) { try NitroDocument(CBOR.map(members).encoded) }
    }

    @Test(
        "a message that is not a signed document is refused",
        arguments: [
            [], [0xD2], [0x80], [0x84, 0x40, 0xA0, 0x40, 0x40], [0x84, 0x41, 0xA0, 0xA0, 0x40, 0x40],
            [0x84, 0x43, 0xA1, 0x01, 0x26, 0x40, 0x40, 0x40], [0x84, 0x43, 0xA1, 0x01, 0x27, 0xA0, 0x40, 0x40],
            [0x84, 0x45, 0xA2, 0x01, 0x26, 0x02, 0x80, 0xA0, 0x40, 0x40],
        ] as [[UInt8]])
    func notSigned(_ bytes: [UInt8]) {
        #expect(throws: EvidenceError.self) { try COSESign1(bytes) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
