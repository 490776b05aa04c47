import Encodings
import Testing

@Suite("Reading CBOR") struct CBORTests {
    @Test(
        "CBOR in another form than the deterministic one is refused",
        arguments: [
            [], [0x18], [0x18, 0x17], [0x19, 0x00, 0xFF], [0x1A, 0, 0, 0xFF, 0xFF], [0x5F, 0x41, 0x00, 0xFF],
            [0x9F, 0xFF], [0xBF, 0xFF], [0xC0, 0x60], [0xF9, 0x3C, 0x00], [0xF7], [0x61, 0xFF], [0x42, 0x00],
            [0x82, 0x00],
            [0xA1, 0x00], [0xA2, 0x00, 0x00, 0x00, 0x00], [0x00, 0x00],
            [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0x81, count: 5000),
        ] as [[UInt8]])
    func refused(_ bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try CBOR(bytes) }
    }

    @Test(
        "RFC 8949, appendix A",
        arguments: [
            ([0x00], .integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
            ([0x19, 0x03, 0xE8], .integer(1000)), ([0x1A, 0x00, 0x0F, 0x42, 0x40], .integer(1_000_000)),
            ([0x1B, 0, 0, 0, 0xE8, 0xD4, 0xA5, 0x10, 0], .integer(1_000_000_000_000)), ([0x20], .integer(-1)),
            ([0x38, 0x63], .integer(-100)), ([0xF4], .bool(false)), ([0xF5], .bool(true)), ([0xF6], .null),
            ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), ([0x64, 0x49, 0x45, 0x54, 0x46], .text("IETF")),
            ([0x83, 1, 2, 3], .array([.integer(1), .integer(2), .integer(3)])),
            ([0xA2, 1, 2, 3, 4], .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
        ] as [([UInt8], CBOR)])
    func read(_ bytes: [UInt8], _ expected: CBOR) throws {
        #expect(try CBOR(bytes) == expected)
        #expect(expected.encoded == bytes)
    }

    @Test("a map is written with its keys in the order of RFC 8949, section 4.2.1")
    func order() {
        let map = CBOR.map([
            .text("aa"): .null, .bool(false): .null, .array([.integer(-1)]): .null, .text("z"): .null,
            .integer(-1): .null, .array([.integer(100)]): .null, .integer(10): .null, .integer(100): .null,
        ])
        let keys: [[UInt8]] = [
            [0x0A], [0x18, 0x64], [0x20], [0x61, 0x7A], [0x62, 0x61, 0x61], [0x81, 0x18, 0x64], [0x81, 0x20], [0xF4],
        ]
        #expect(map.encoded == [0xA8] + keys.flatMap { $0 + [0xF6] })
    }
}
