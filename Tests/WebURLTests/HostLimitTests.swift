import Testing

@testable import WebURL

@Suite("The host of a URL")
struct HostLimitTests {
    @Test("has every ASCII character but the forbidden ones", arguments: 0...0x7F)
    func characters(value: Int) {
        let isForbidden = value < 0x20 || value == 0x7F || " #%/:<>?@[\\]^|".utf8.contains(UInt8(value))
        let digits = String(value, radix: 16)
        let host = try? URLRecord(parsing: "https://a%\(value < 16 ? "0" : "")\(digits)b/").host
        #expect((host == nil) == isForbidden)
        if !isForbidden { #expect(host == .domain("a\(UnicodeScalar(UInt8(value)))b".lowercased())) }
    }

    @Test(
        "of a scheme that is not special is kept as it is, or refused",
        arguments: [
            ("x://AB/", "AB"), ("x://a%zz/", "a%zz"), ("x://é/", "%C3%A9"), ("x:///p", ""), ("x://a<b/", nil),
            ("x://a b/", nil), ("x://a^b/", nil), ("x://[::1]/", "[::1]"), ("x://127.1/", "127.1"), ("x://a\\b/", nil),
        ])
    func opaque(text: String, host: String?) {
        #expect((try? URLRecord(parsing: text))?.host?.description == host)
    }

    @Test(
        "is this machine in these forms only",
        arguments: [
            ("https://localhost/", true), ("https://a.localhost/", true), ("https://LOCALHOST/", true),
            ("https://localhost./", false), ("https://xlocalhost/", false), ("https://localhost.example/", false),
            ("https://127.0.0.0/", true), ("https://127.255.255.255/", true), ("https://128.0.0.1/", false),
            ("https://126.255.255.255/", false), ("https://0.0.0.0/", false), ("https://[::1]/", true),
            ("https://[::2]/", false), ("https://[::]/", false), ("https://[1::1]/", false),
            ("https://[::ffff:127.0.0.1]/", false), ("x://localhost/", false), ("x:///", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try URLRecord(parsing: text).host?.isLoopback == isLoopback)
    }

    @Test(
        "may be an IPv4 address, whose last part fills the rest",
        arguments: [
            ("255.255.255.255", "255.255.255.255"), ("1.2.3.256", nil), ("1.2.65535", "1.2.255.255"),
            ("1.2.65536", nil),
            ("1.16777215", "1.255.255.255"), ("1.16777216", nil), ("4294967295", "255.255.255.255"),
            ("4294967296", nil), ("255.1", "255.0.0.1"), ("256.1", nil), ("1.256.1.1", nil), ("1.2.3.4.", "1.2.3.4"),
            ("1.2.3.4..", "1.2.3.4.."), ("1.2.3.4.5", nil), ("08", nil), ("a.08", nil), ("a.09", nil),
            ("0377.1", "255.0.0.1"),
            ("0400.1", nil), ("0xFF.1", "255.0.0.1"), ("0XfF.1", "255.0.0.1"), ("0x100.1", nil), ("1099511627777", nil),
            ("0xffffffffffffffffffffffffff", nil), ("1..2", nil), ("a.0xg", "a.0xg"), ("a.9x", "a.9x"),
            ("a.x9", "a.x9"),
            ("1.2.3.4.0", nil), ("1.", "0.0.0.1"), ("a.1", nil), ("a.0x1", nil),
            ("a..", "a.."), ("10.20.30.40", "10.20.30.40"), ("0x.0x.0x.0x", "0.0.0.0"), ("00.0", "0.0.0.0"),
        ])
    func ipv4(written: String, host: String?) {
        #expect((try? URLRecord(parsing: "https://\(written)/"))?.host?.description == host)
    }

    @Test(
        "may be an IPv6 address, and is written in its shortest form",
        arguments: [
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1::2:3:4:5:6:7:8", nil), ("1:2:3:4:5:6:7", nil),
            ("1:2:3:4:5:6:7:8:9", nil), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("1:2:3:4:5:1.2.3.4", nil),
            ("1:2:3:4:5:6:7:1.2.3.4", nil), ("1.2.3.4::", nil), ("::1.2.3.4:5", nil), ("::1.2.3", nil),
            ("::1.2.3.4.5", nil), ("::1.2.3.256", nil), ("::1.2.3.04", nil), ("::1.2.3.+4", nil), ("::1.2..4", nil),
            ("::1.2..3.4", nil),
            ("::1.2.3.4.", nil), ("::00001", nil),
            ("::255.255.255.255", "::ffff:ffff"), ("::12345", nil), ("::g", nil), ("::+1", nil), ("::-0", nil),
            ("::FFFF", "::ffff"), ("::0001", "::1"), (":", nil), (":1", nil), ("1:", nil), ("1:::2", nil),
            ("1::2::3", nil),
            ("", nil), ("1::", "1::"), ("0:0:1::", "0:0:1::"), ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
            ("1:0:0:0:2:0:0:0", "1::2:0:0:0"), ("1:0:0:2:0:0:0:0", "1:0:0:2::"), ("::", "::"),
            ("0:1:0:2:0:3:0:4", "0:1:0:2:0:3:0:4"), ("::é", nil),
        ])
    func ipv6(written: String, host: String?) {
        #expect((try? URLRecord(parsing: "https://[\(written)]/"))?.host?.description == host.map { "[\($0)]" })
    }

    @Test(
        "is missing or wrong with a reason",
        arguments: [
            ("https://:80/", URLParsingError.Code.emptyHost), ("https://@/", .emptyHost), ("https://", .emptyHost),
            ("https://u@:80/", .emptyHost), ("https://a b/", .invalidHost), ("https://[::1/", .invalidHost),
            ("https://[::1]x/", .invalidHost), ("https://a:b/", .invalidPort), ("https://a:65536/", .invalidPort),
            ("https://a:-1/", .invalidPort), ("a", .relativeWithoutBase), ("x://u@/", .emptyHost),
            ("https://xn--/", .invalidHost), ("https://%C2%AD/", .invalidHost), ("https://xn--a/", .invalidHost),
            ("https://a.xn--a/", .invalidHost), ("https://%E2%80%8B/", .invalidHost),
            ("https://%EF%B8%8F/", .invalidHost), ("https://%E2%81%A0/", .invalidHost), ("https://@/a", .emptyHost),
        ])
    func reasons(text: String, code: URLParsingError.Code) {
        let error = #expect(throws: URLParsingError.self) { try URLRecord(parsing: text) }
        #expect(error?.code == code)
    }

    @Test(
        "comes before a port from 0 to 65535",
        arguments: [
            ("https://a:0/", 0), ("https://a:00000443/", 443), ("https://a:65535/", 65535), ("https://a:/", 443),
            ("http://a/", 80), ("ws://a/", 80), ("wss://a/", 443), ("ftp://a/", 21), ("https://[::1]:8443/", 8443),
            ("https://a:8443?x", 8443), ("https://a:8443#x", 8443), ("https://a:8443\\x", 8443),
        ])
    func ports(text: String, port: UInt16) throws {
        #expect(try URLRecord(parsing: text).effectivePort == port)
    }

    @Test(
        "of a file is kept by a reference to another file",
        arguments: [
            ("c", "file://host/a/c"), ("/c", "file://host/c"), ("//other/c", "file://other/c"),
            ("\\\\other\\c", "file://other/c"), ("file:c", "file://host/a/c"), ("file:/c", "file://host/c"),
            ("file:\\c", "file://host/c"), ("file://localhost/c", "file:///c"), ("file:///c", "file:///c"),
            ("?q", "file://host/a/b?q"), ("#f", "file://host/a/b#f"), ("", "file://host/a/b"),
            ("file:", "file://host/a/b"),
            ("file://LOCALHOST", "file:///"), ("file://other", "file://other/"), ("file://a<b/", nil),
        ])
    func files(reference: String, expected: String?) throws {
        let base = try URLRecord(parsing: "file://host/a/b")
        #expect((try? URLRecord(parsing: reference, base: base))?.description == expected)
    }

    @Test(
        "a file needs no base", arguments: [("file:x", "file:///x"), ("file:", "file:///"), ("file:/x", "file:///x")])
    func fileAlone(text: String, expected: String) throws {
        #expect(try URLRecord(parsing: text).description == expected)
        #expect(Origin(of: try URLRecord(parsing: text)) == nil)
    }

    @Test(
        "follows a user name and a password",
        arguments: [
            ("https://u:p@h/", "u", "p"), ("https://u@h/", "u", ""), ("https://:p@h/", "", "p"),
            ("https://@h/", "", ""),
            ("https://u:p:q@h/", "u", "p%3Aq"), ("https://a@b@h/", "a%40b", ""),
            ("https://a:b@c:d@h/", "a", "b%40c%3Ad"),
            ("https://é@h/", "%C3%A9", ""),
        ])
    func userinfo(text: String, name: String, password: String) throws {
        let url = try URLRecord(parsing: text)
        #expect(url.username == name && url.password == password && url.host == .domain("h"))
        #expect(url.hasCredentials == (!name.isEmpty || !password.isEmpty))
        #expect(url.withoutCredentials.description == "https://h/")
    }

    @Test(
        "stays when a reference names only a path",
        arguments: [("/c", "https://u:p@h:81/c"), ("//i/c", "https://i/c"), ("\\c", "https://u:p@h:81/c")])
    func kept(reference: String, expected: String) throws {
        let base = try URLRecord(parsing: "https://u:p@h:81/a/b")
        #expect(try URLRecord(parsing: reference, base: base).description == expected)
    }

    @Test("an origin's text has the port only where it is not the scheme's own")
    func origins() throws {
        #expect(try Origin(parsing: "https://[::1]:443").description == "https://[::1]")
        #expect(try Origin(parsing: "http://a:443").description == "http://a:443")
        for text in ["https://a/?", "https://a#", "https://a/b", "https://:p@a", "x://a", "data:a", "file:///"] {
            let error = #expect(throws: OriginError.self) { try Origin(parsing: text) }
            #expect(error?.text == text)
        }
    }

    @Test("a text for a message is cut to 200 characters, without its query")
    func messages() {
        let error = #expect(throws: URLParsingError.self) {
            try URLRecord(parsing: String(repeating: "a", count: 201) + "?q")
        }
        #expect(error?.text.count == 200)
        let short = #expect(throws: URLParsingError.self) { try URLRecord(parsing: "a?b?c") }
        #expect(short?.description.hasPrefix("“a” is not a usable URL: it is relative") == true)
        let query = #expect(throws: URLParsingError.self) { try URLRecord(parsing: "?c") }
        #expect(query?.description.hasPrefix("“” is not a usable URL") == true)
    }
}
