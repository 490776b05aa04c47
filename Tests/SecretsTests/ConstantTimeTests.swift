import Secrets
import Testing

@Suite("Comparing in constant time")
struct ConstantTimeTests {
    @Test("finds equal bytes equal, in any kind of collection")
    func equal() {
        let bytes: [UInt8] = [0, 1, 127, 128, 255]
        #expect(ConstantTime.isEqual(bytes, bytes))
        #expect(ConstantTime.isEqual(bytes[1...], Array(bytes.dropFirst())))
        #expect(ConstantTime.isEqual("token".utf8, Array("token".utf8)))
        #expect(ConstantTime.isEqual([], []))
    }

    @Test("sees any one bit in any place, and a piece that is missing", arguments: 0..<32)
    func different(_ place: Int) {
        let bytes = (0..<32).map { UInt8($0) }
        for bit in 0..<8 {
            var others = bytes
            others[place] ^= 1 << bit
            #expect(!ConstantTime.isEqual(bytes, others))
        }
        #expect(!ConstantTime.isEqual(bytes, bytes[..<place]))
        #expect(!ConstantTime.isEqual(bytes[..<place], bytes))
    }
}
