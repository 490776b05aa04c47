import Secrets
import Testing

@testable import Encodings

@Suite("Base32 (RFC 4648)")
struct Base32Tests {
    @Test(
        "reads and writes the vectors of section 10",
        arguments: [
            ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
        ])
    func vectors(_ plain: String, _ encoded: String) throws {
        let normalised = try #require(Base32.normalised(Secret(encoded)))
        #expect(Base32.decoded(normalised).revealed() == plain)
        #expect(Base32.encoded(Secret(plain)).isEqual(to: normalised))
    }

    @Test(
        "takes what people copy by hand",
        arguments: ["jbsw y3dp ehpk 3pxp", "JBSW-Y3DP-EHPK-3PXP", "JBSWY3DPEHPK3PXP====", "jBsWy3DpEhPk3pXp"])
    func lenient(_ text: String) {
        #expect(Base32.normalised(Secret(text))?.revealed() == "JBSWY3DPEHPK3PXP")
    }

    @Test(
        "refuses what no encoder wrote",
        arguments: [
            "JBSWY3DPEHPK3PX1", "JBSWY3DP8", "A", "ABC", "ABCDEF", "AB=CD", "ABCDÉ", "AAAAAAAA=======", "A\u{0}B",
        ])
    func refused(_ text: String) {
        #expect(Base32.normalised(Secret(text)) == nil)
    }
}
