import Secrets
import Testing

@testable import Encodings

@Suite("A UUID as text")
struct UUIDTextTests {
    @Test("is made in the canonical form, another one each time")
    func random() {
        let made = (0..<100).map { _ in UUIDText.random() }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { UUIDText.isCanonical($0) && $0.utf8.count == 36 })
    }

    @Test(
        "is canonical in lower case and with its hyphens alone",
        arguments: [
            "", "f81d4fae-7dec-11d0-a765-00a0c91e6bf", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
            "f81d4fae7dec11d0a76500a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
            " f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n",
            "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ])
    func others(_ text: String) {
        #expect(!UUIDText.isCanonical(text))
    }

    @Test("has 16 bytes, in the order of its digits")
    func bytes() {
        // The example of RFC 9562, section 4.
        let bytes: [UInt8] = [
            0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6,
        ]
        #expect(UUIDText.isCanonical("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
        #expect(UUIDText.bytes("f81d4fae-7dec-11d0-a765-00a0c91e6bf6") == bytes)
        #expect(UUIDText.bytes("no UUID") == [])
    }
}
