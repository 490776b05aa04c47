import Testing

@testable import WebURL

struct IDNATests {
    @Test(
        "names a host as a browser does",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"),
            ("faß.de", "xn--fa-hia.de"),
            ("ẞ.de", "xn--zca.de"),
            ("क्\u{200D}ष.com", "xn--11b2ezcw70k.com"),
            ("نامه\u{200C}ای.com", "xn--mgba3gch31f060k.com"),
            ("exa\u{AD}mple.com", "example.com"),
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("☕.example", "xn--53h.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("xn--fa-hia.de", "xn--fa-hia.de"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("אב1.example", "xn--1-zhcd.example"),
            ("a_b.ü", "a_b.xn--tda"),
            ("ｅｘａ.com", "exa.com"),
            ("ς.gr", "xn--3xa.gr"),
            ("Ⅷ.com", "viii.com"),
            ("ﬀ.com", "ff.com"),
            ("𝕏.com", "x.com"),
            ("a．b.com", "a.b.com"),
            ("xn--ls8h.la", "xn--ls8h.la"),
            ("≮x.com", "xn--x-mgo.com"),
            ("İ.com", "xn--i-9bb.com"),
            ("ü.", "xn--tda."),
            ("𑀓.com", "xn--n00d.com"),
            ("a≠b.com", "xn--ab-miv.com"),
            ("\u{2064}x.com", "x.com"),
            ("ä\u{FE0F}.com", "xn--4ca.com"),
            ("１２７.０.０.１", "127.0.0.1"),
            ("日本語。ＪＰ", "xn--wgv71a119e.jp"),
            ("xn--zca.de", "xn--zca.de"),
            ("xn--strae-oqa.xn--tda", "xn--strae-oqa.xn--tda"),
        ])
    func ascii(written: String, expected: String) throws {
        #expect(try URLRecord(parsing: "https://\(written)/").host?.description == expected)
    }

    @Test(
        "refuses what a browser refuses: disallowed letters, leading marks, misplaced joiners, mixed directions",
        arguments: [
            "a\u{200C}b.com",
            "\u{300}a.example",
            "a\u{E000}.example",
            "1אב.example",
            "אaב.example",
            "℀.com",
            "ü%2f.com",
            "👨\u{200D}👩.com",
            "⒈com",
        ])
    func refusals(written: String) {
        #expect(throws: URLParsingError.self) { try URLRecord(parsing: "https://\(written)/") }
    }

    @Test(
        "refuses names that a browser may accept but nobody can register",
        arguments: [
            "é..x", "ab--ü.com", "ü-.com", "-ü.com", String(repeating: "é", count: 64) + ".com", "xn--a-ecp.example",
            "xn--.example",
            "xn--a.example", "xn--zca1.de",
        ])
    func stricter(written: String) {
        #expect(throws: URLParsingError.self) { try URLRecord(parsing: "https://\(written)/") }
    }
}
