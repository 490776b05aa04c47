import Foundation
import Secrets
import Testing

@testable import Encodings

@Suite("Base16")
struct Base16Tests {
    @Test(
        "writes the vectors of RFC 4648, section 10, in lower case",
        arguments: [
            ("", ""), ("f", "66"), ("fo", "666f"), ("foo", "666f6f"), ("foob", "666f6f62"), ("fooba", "666f6f6261"),
            ("foobar", "666f6f626172"),
        ])
    func vectors(_ plain: String, _ encoded: String) {
        #expect(Base16.encode(plain.utf8) == encoded)
        #expect(Base16.decode(encoded) == Array(plain.utf8))
    }

    @Test("writes every byte as two digits, and knows them again")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            let text = Base16.encode([byte])
            #expect(text == String(format: "%02x", byte))
            #expect(Base16.isEncoding(text, ofBytes: 1))
        }
    }

    @Test(
        "takes no other length, case or sign for an encoding",
        arguments: ["", "0", "000", "0000", "0A", "0g", "-1", "+1", " 1", "0/", "0:", "0`", "é", "٣"])
    func others(_ text: String) {
        #expect(!Base16.isEncoding(text, ofBytes: 1))
    }
}
