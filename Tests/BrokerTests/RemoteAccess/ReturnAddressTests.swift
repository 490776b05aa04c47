import Testing

@testable import Broker

@Suite("Addresses of programs elsewhere")
struct ReturnAddressTests {
    @Test(
        "are exact, but for the port on the person's own machine",
        arguments: [
            ("https://a.example/b", "https://a.example/b", true),
            ("https://a.example/b", "https://a.example/b?c", false),
            ("https://a.example/b", "https://a.example:8443/b", false),
            ("https://a.example/b", "https://A.example/b", false),
            ("http://127.0.0.1/b", "http://127.0.0.1:4000/b", true),
            ("http://127.0.0.1:1/b", "http://127.0.0.1:2/b", true),
            ("http://localhost/b", "http://localhost:4000/b", true),
            ("http://localhost/b", "http://127.0.0.1/b", false),
            ("http://127.0.0.1/b", "http://127.0.0.1:4000/c", false), ("app.example:/b", "app.example:/b", true),
            ("cursor://x/oauth", "cursor://x/oauth", true), ("cursor://x/oauth", "cursor://y/oauth", false),
            ("http://[::1]/b", "http://[::1]:5/b", true),
        ])
    func admits(registered: String, asked: String, isSame: Bool) throws {
        let (mine, theirs) = (try #require(ReturnAddress(registered)), try #require(ReturnAddress(asked)))
        #expect(mine.admits(theirs) == isSame)
    }

    @Test(
        "are read as a browser reads them: a person sees the host that it goes to",
        arguments: [
            ("https://A.Example/b", "a.example"), ("https://a.ex%61mple/b", "a.example"),
            ("https://a.example\\@b.example/", "a.example"), ("https:a.example/b", nil),
            ("https://0x7f.1/b", "127.0.0.1"), ("http://127.1/b", "127.0.0.1"), ("App.Example:/b", "app.example:"),
            ("http://0x7f.1.example/b", nil), ("http://localhost.a.example/b", nil), ("http://a.localhost/b", nil),
            ("https://b@a.example/", nil), ("https://a.example/#b", nil), ("https:///", nil),
            ("JavaScript:alert()", nil),
            ("HTTP://a.example/", nil), ("//a.example/b", nil),
        ] as [(String, String?)])
    func places(text: String, place: String?) { #expect(ReturnAddress(text)?.place == place) }

    @Test("take parameters behind their own, encoded")
    func parameters() throws {
        let values = [(name: "code", value: "a b&c=d"), (name: "iss", value: "http://x")]
        let written = "code=a%20b%26c%3Dd&iss=http%3A%2F%2Fx"
        for (address, expected) in [
            ("https://a.example/b", "https://a.example/b?\(written)"),
            ("https://a.example/b?x=1", "https://a.example/b?x=1&\(written)"),
            ("https://a.example/b?", "https://a.example/b?\(written)"),
        ] { #expect(try #require(ReturnAddress(address)).with(values) == expected) }
    }

    @Test(
        "of the Internet are public, or not",
        arguments: [
            ("127.0.0.1", false), ("127.255.0.1", false), ("0.0.0.0", false), ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false), ("172.32.0.1", true), ("192.168.1.1", false), ("192.169.0.1", true),
            ("169.254.169.254", false), ("100.64.0.1", false), ("100.128.0.1", true), ("192.0.2.1", false),
            ("198.18.0.1", false), ("198.51.100.7", false), ("203.0.113.9", false), ("224.0.0.1", false),
            ("255.255.255.255", false), ("8.8.8.8", true), ("::1", false), ("::", false), ("::ffff:8.8.8.8", false),
            ("fe80::1", false), ("fd00::1", false), ("ff02::1", false), ("64:ff9b::808:808", false),
            ("2001:db8::1", false), ("2001::1", false), ("2002:7f00:1::", false), ("3fff::1", false),
            ("2a00:1450:4001:800::200e", true), ("2606:4700::1111", true), ("name.example", false), ("", false),
        ])
    func isPublic(text: String, expected: Bool) { #expect(PublicAddress.isPublic(text) == expected) }

    @Test(
        "are read back from what a person types of a number",
        arguments: [("abcd-efgh", "ABCDEFGH"), (" AB CD-EF GH ", "ABCDEFGH"), ("OIL0-1111", "01101111")])
    func numbers(typed: String, expected: String) { #expect(ClientNumber.canonical(typed) == expected) }
}
