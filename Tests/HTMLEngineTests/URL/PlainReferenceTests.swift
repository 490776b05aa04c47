import Testing

@testable import HTMLEngine

struct PlainReferenceTests {
    private static let bases = [
        "https://bank.example/a/b?old=1#top", "https://robin:pass@bank.example:8443/", "http://127.0.0.1:80/x/",
    ]

    /// By the parser, state by state.
    private static func parsed(_ reference: String, _ base: URLRecord) throws -> String {
        var parser = URLParser(reference, base: base, encoding: .utf8)
        return try parser.parse().serialized
    }

    @Test(
        "is what most references are, and leads to where the parser says",
        arguments: [
            "/login", "/a/b-c/d_e/f.pdf", "/statements?account=everyday&year=2024&page=2", "/x?", "/a/b..c.", "/1",
        ])
    func plain(reference: String) throws {
        for base in try Self.bases.map({ try URLRecord(parsing: $0) }) {
            let following = try #require(base.parts.following(plainReference: reference))
            #expect(following.serialized == (try Self.parsed(reference, base)))
        }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "/", "//x", "/a//b", "/a/", "/.", "/..", "/.x", "/a/../b", "/a?b=c d", "/a?b=%41", "/a%2e", "/a#b",
            "/é",
            "/a?b#c", "/a?b?c", "/a;b", " /a", "/a\t", "\\a", "a", "?a", "/a:b", "/a?é",
        ])
    func special(reference: String) throws {
        let base = try URLRecord(parsing: Self.bases[0])
        #expect(base.parts.following(plainReference: reference) == nil)
    }

    @Test(
        "is plain only where there is a host to be asked", arguments: ["file:///a", "mailto:a", "x:/a", "x://host/a"])
    func bases(base: String) throws {
        #expect(try URLRecord(parsing: base).parts.following(plainReference: "/a") == nil)
    }

    @Test("20,000 random references lead to where the parser says")
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
            let base = bases[next(below: bases.count)]
            guard let following = base.parts.following(plainReference: reference) else { continue }
            plain += 1
            #expect(following.serialized == (try Self.parsed(reference, base)), "\(reference)")
        }
        #expect(plain > 500)
    }
}
