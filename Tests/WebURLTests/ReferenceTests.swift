import Testing

@testable import WebURL

@Suite("A reference on a page")
struct ReferenceTests {
    private static let bases = [
        "https://bank.example/a/b?old=1#top", "https://robin:pass@bank.example:8443/", "http://127.0.0.1:81/x/",
    ]
    /// The part of each base before its path.
    private static let authorities = [
        "https://bank.example", "https://robin:pass@bank.example:8443", "http://127.0.0.1:81",
    ]

    @Test(
        "replaces path, query and fragment of its base",
        arguments: [
            "/login", "/a/b-c/d_e/f.pdf", "/statements?account=everyday&year=2024&page=2", "/x?", "/a/b..c.", "/1",
        ])
    func plain(reference: String) throws {
        for (base, authority) in zip(Self.bases, Self.authorities) {
            let url = try URLRecord(parsing: reference, base: try URLRecord(parsing: base))
            #expect(url.description == authority + reference)
        }
    }

    @Test(
        "leads where the URL Standard says when it is not plain",
        arguments: [
            ("", "https://bank.example/a/b?old=1"), ("/", "https://bank.example/"), ("//x", "https://x/"),
            ("/a//b", "https://bank.example/a//b"), ("/a/", "https://bank.example/a/"),
            ("/.", "https://bank.example/"), ("/..", "https://bank.example/"), ("/.x", "https://bank.example/.x"),
            ("/a/../b", "https://bank.example/b"), ("/a?b=c d", "https://bank.example/a?b=c%20d"),
            ("/a?b=%41", "https://bank.example/a?b=%41"), ("/a%2e", "https://bank.example/a%2e"),
            ("/a#b", "https://bank.example/a#b"), ("/é", "https://bank.example/%C3%A9"),
            ("/a?b#c", "https://bank.example/a?b#c"), ("/a?b?c", "https://bank.example/a?b?c"),
            ("/a;b", "https://bank.example/a;b"), (" /a", "https://bank.example/a"),
            ("/a\t", "https://bank.example/a"), ("\\a", "https://bank.example/a"), ("a", "https://bank.example/a/a"),
            ("?a", "https://bank.example/a/b?a"), ("/a:b", "https://bank.example/a:b"),
            ("/a?é", "https://bank.example/a?%C3%A9"), ("?", "https://bank.example/a/b?"),
            ("#", "https://bank.example/a/b?old=1#"), ("file:x", "file:///x"), ("file:/x", "file:///x"),
        ])
    func special(reference: String, expected: String) throws {
        let base = try URLRecord(parsing: Self.bases[0])
        #expect(try URLRecord(parsing: reference, base: base).description == expected)
    }

    @Test(
        "is resolved against bases of other schemes too",
        arguments: [
            ("file:///b", "file:///a"), ("mailto:b", nil), ("x:/b", "x:/a"), ("x://host/b", "x://host/a"),
        ])
    func bases(base: String, expected: String?) throws {
        let url = try? URLRecord(parsing: "/a", base: try URLRecord(parsing: base))
        #expect(url?.description == expected)
    }

    @Test(
        "on a page of a scheme that is not special names a host after two slashes alone",
        arguments: [("//other/c", "x://other/c"), ("/c", "x://host/c"), ("/\\c", "x://host/\\c")])
    func notSpecial(reference: String, expected: String) throws {
        let base = try URLRecord(parsing: "x://host/a/b")
        #expect(!base.isSpecial && base.withoutCredentials == base)
        #expect(try URLRecord(parsing: reference, base: base).description == expected)
    }

    @Test("is the same as another if both are written alike, and only then")
    func equality() throws {
        let url = try URLRecord(parsing: "https://bank.example/a?b#c")
        let same = try URLRecord(parsing: "HTTPS://bank.example:443/a?b#c")
        #expect(url.isSpecial && url == same)
        let others = [url.withoutFragment, url.replacing(fragment: "d"), url.replacing(query: nil)]
        #expect(
            others.map(\.description) == [
                "https://bank.example/a?b", "https://bank.example/a?b#d", "https://bank.example/a#c",
            ])
        #expect(!others.contains(url) && Set([url, url] + others).count == 4)
        #expect(url.replacing(fragment: "c") == url)
    }

    @Test("20,000 random references lead to an absolute URL that means the same by itself")
    func random() throws {
        let bases = try Self.bases.map { try URLRecord(parsing: $0) }
        let letters = Array("/////aaaZ0.-_?=&%#: \\é\t")
        var state: UInt64 = 88_172_645_463_325_252
        func next(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        var plain = 0
        for _ in 0..<20_000 {
            let reference = "/" + String((0..<next(below: 9)).map { _ in letters[next(below: letters.count)] })
            let place = next(below: bases.count)
            guard let url = try? URLRecord(parsing: reference, base: bases[place]) else { continue }
            #expect(try URLRecord(parsing: url.description) == url, "\(reference)")
            guard reference.wholeMatch(of: /(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+(\?[A-Za-z0-9_=&-]*)?/) != nil else {
                continue
            }
            plain += 1
            #expect(url.description == Self.authorities[place] + reference, "\(reference)")
        }
        #expect(plain > 500)
    }
}
