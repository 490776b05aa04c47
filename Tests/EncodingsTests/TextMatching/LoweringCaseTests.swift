import Testing

@testable import Encodings

struct LoweringCaseTests {
    @Test("lowers every letter as Unicode has it, alone and among others")
    func everyLetter() {
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "Aa\(scalar)Z ß"
            if text.loweringCase != text.lowercased() || !text.loweringCase.utf8.elementsEqual(text.lowercased().utf8) {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
        #expect("SIGN IN".loweringCase == "sign in" && "".loweringCase.isEmpty)
    }
}
