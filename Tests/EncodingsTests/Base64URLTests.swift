import Secrets
import Testing

@testable import Encodings

@Suite("Base64url")
struct Base64URLTests {
    @Test(
        "writes the vectors of RFC 4648, section 10, without padding, and the alphabet of section 5",
        arguments: [
            ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
            (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
            ([0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff], "----____"),
        ] as [([UInt8], String)])
    func vectors(_ bytes: [UInt8], _ text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(
        "has one spelling for each text: no padding, no other alphabet, no bits left over, nothing between",
        arguments: ["Zg==", "Zm8=", "++++", "////", "Zh", "Zm9", "Z", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v.", "é"])
    func others(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
