import Testing

@testable import Markup

struct UTF8Tests {
    private static let pieces: [[UInt8]] = [
        Array("é".utf8), Array("€".utf8), Array("𝄞".utf8), [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9D, 0x84],
        [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
        [0xF4, 0x8F, 0xBF, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x00],
    ]

    @Test("is distinguished from invalid bytes wherever it stands among ASCII", arguments: pieces)
    func everywhere(piece: [UInt8]) {
        let ascii = [UInt8](repeating: 0x61, count: 200)
        for before in 0...130 {
            for rest in [[], Array("€".utf8), [0x62]] {
                let text = Array(ascii.prefix(before)) + piece + rest + ascii.prefix(130 - before)
                #expect(text.isUTF8 == (String(validating: text, as: UTF8.self) != nil), "\(before): \(piece), \(rest)")
            }
        }
    }

    @Test("an empty page is valid")
    func nothing() {
        #expect([UInt8]().isUTF8)
    }
}
