import Testing

@testable import WebURL

struct URLRecordTests {
    @Test(
        "resolves a reference as a browser does",
        arguments: [
            ("login", "https://bank.example/a/login"),
            ("/login", "https://bank.example/login"),
            ("//other.example/x", "https://other.example/x"),
            ("?q=1", "https://bank.example/a/b?q=1"),
            ("#top", "https://bank.example/a/b?old=1#top"),
            ("", "https://bank.example/a/b?old=1"),
            ("  \t/pa\nth\r ", "https://bank.example/path"),
            ("\\login\\now", "https://bank.example/login/now"),
            ("\\\\other.example\\x", "https://other.example/x"),
            ("https:login", "https://bank.example/a/login"),
            ("https:/login", "https://bank.example/login"),
            ("https:\\\\\\evil.example", "https://evil.example/"),
            ("http:login", "http://login/"),
            ("../../../up", "https://bank.example/up"),
            ("./x/./y/..", "https://bank.example/a/x/"),
            ("%2e%2E/x/%2e", "https://bank.example/x/"),
            ("/a b?c d#e f", "https://bank.example/a%20b?c%20d#e%20f"),
            ("/år?ü=ß#é", "https://bank.example/%C3%A5r?%C3%BC=%C3%9F#%C3%A9"),
            ("/{x}`^|\"<>", "https://bank.example/%7Bx%7D%60%5E|%22%3C%3E"),
            ("?it's=\"<>`", "https://bank.example/a/b?it%27s=%22%3C%3E`"),
            ("/%zz%41", "https://bank.example/%zz%41"),
            ("x:y", "x:y"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("data:text/plain,a b", "data:text/plain,a b"),
            ("mailto:a@b.example?x y", "mailto:a@b.example?x%20y"),
            ("file:///etc/../etc/passwd", "file:///etc/passwd"),
            ("HTTPS://BANK.example:443/Path", "https://bank.example/Path"),
            ("http://bank.example:00080/", "http://bank.example/"),
            ("https://bank.example:8443", "https://bank.example:8443/"),
            ("https://a:b@c:d@bank.example/", "https://a:b%40c%3Ad@bank.example/"),
            ("https://@bank.example/", "https://bank.example/"),
            ("https://bank%2eexample/", "https://bank.example/"),
        ])
    func resolution(reference: String, expected: String) throws {
        let base = try URLRecord(parsing: "https://bank.example/a/b?old=1#frag")
        #expect(try URLRecord(parsing: reference, base: base).description == expected)
    }

    @Test(
        "gives every spelling of a host its canonical form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
            ("0177.0.0.01", "127.0.0.1"), ("0x7F000001", "127.0.0.1"), ("127.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"), ("%31%32%37.1", "127.0.0.1"), ("１２７.１", "127.0.0.1"), ("0", "0.0.0.0"),
            ("0x.0x.0", "0.0.0.0"), ("192.168.257", "192.168.1.1"),
            ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[0000::0001]", "[::1]"),
            ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"), ("[::127.0.0.1]", "[::7f00:1]"),
            ("[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"), ("[1:2:0:4:5:6:7:8]", "[1:2:0:4:5:6:7:8]"), ("[::]", "[::]"),
            ("EXAMPLE.com", "example.com"), ("example.com.", "example.com."), ("ab--cd.com", "ab--cd.com"),
            ("a-.com", "a-.com"), ("a..b", "a..b"), (".a", ".a"), ("1a.com", "1a.com"), ("a.b1", "a.b1"), ("a", "a"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("ｅｘａｍｐｌｅ.com", "example.com"), ("exa\u{AD}mple.com", "example.com"), ("☕.example", "xn--53h.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("ünïcödé.example", "xn--ncd-dma1a7bzb.example"),
            ("a_b.example", "a_b.example"), ("1.2.3.4.5x", "1.2.3.4.5x"),
        ])
    func hosts(written: String, expected: String) throws {
        #expect(try URLRecord(parsing: "https://\(written)/").host?.description == expected)
    }

    @Test(
        "refuses URLs that have no meaning",
        arguments: [
            "https://", "https:///", "https://:80/", "https://a b/", "https://a<b/", "https://a%00b/", "https://a:b/",
            "https://a:65536/", "https://user@/", "https://[::1", "https://[1:2:3]/", "https://[1::2::3]/",
            "https://[:::1]/", "https://[::1.2.3]/", "https://[g::]/", "https://256.256.256.256/", "https://1.2.3.4.5/",
            "https://0x100000000/", "https://xn--/", "https://xn--a/", "https://xn--a-ecp/", "https://\u{AD}/",
            "https://\u{300}a.example/", "https://a\u{E000}.example/", "https://a%zz.example/", "//no.base", "no-base",
            "https://99999999999999999999/", "https://a.1/", "https://a.0x/", "https://a.b.7.", "https://xn--a.com/",
            "https://a.xn--a/",
        ])
    func refusals(text: String) {
        #expect(throws: URLParsingError.self) { try URLRecord(parsing: text) }
    }

    @Test("encodes the query, and only the query, in the document's encoding")
    func documentEncoding() throws {
        let latin = QueryEncoding { $0.value < 256 ? [UInt8($0.value)] : nil }
        let url = try URLRecord(parsing: "https://bank.example/ü?q=ü€#ü", encoding: latin)
        #expect(url.description == "https://bank.example/%C3%BC?q=%FC%26%238364%3B#%C3%BC")
        #expect(try URLRecord(parsing: "x:?ü", encoding: latin).query == "%C3%BC")
    }

    @Test("a serialised URL parses to itself")
    func idempotence() throws {
        for text in ["https://a:b@h:1/p?q#f", "x:/.//p", "x:opaque ?q", "file:///p", "https://[1::2]/"] {
            let url = try URLRecord(parsing: text)
            #expect(try URLRecord(parsing: url.description) == url)
        }
    }

    @Test("shows neither userinfo nor query nor fragment in messages")
    func displayText() throws {
        #expect(try URLRecord(parsing: "https://u:p@h/p?token=1#f").displayText == "https://h/p?…")
        #expect(try URLRecord(parsing: "data:text/html,secret").displayText == "data:…")
        let error = #expect(throws: URLParsingError.self) { try URLRecord(parsing: "https://h:x/?token=1") }
        #expect(error?.description.contains("token") == false)
    }

    @Test("an origin is scheme, host and port, whatever the spelling")
    func origins() throws {
        #expect(try Origin(parsing: "HTTPS://Bank.example:443") == Origin(parsing: "https://bank.example/"))
        #expect(try Origin(parsing: "https://bank.example:8443").description == "https://bank.example:8443")
        for text in [
            "bank.example", "https://bank.example/login", "https://u@bank.example", "https://bank.example?", "",
        ] {
            #expect(throws: OriginError.self) { try Origin(parsing: text) }
        }
    }
}
