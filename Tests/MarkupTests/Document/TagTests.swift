import Testing

@testable import Markup

struct TagTests {
    private static func tag(of name: String) -> Markup.Tag? {
        Array(name.utf8).withUnsafeBufferPointer { KnownNames.shared.find($0)?.tag }
    }

    @Test("every tag has its name, and no other name has a tag")
    func names() {
        for tag in Markup.Tag.allCases where tag != .other {
            let name = tag == .annotationXML ? "annotation-xml" : "\(tag)"
            #expect(String(cString: KnownNames.shared[tag]) == name)
            #expect(Self.tag(of: name) == tag)
            #expect(Self.tag(of: "\(name)x") == nil)
        }
        #expect(Self.tag(of: "") == .other)
        #expect(Self.tag(of: "href") == .other)
        #expect(Self.tag(of: "a name of more than sixteen letters") == nil)
    }

    @Test("different names are different integers")
    func letters() throws {
        let names = [
            "", "a", "b", "aa", "ab", "ba", "aaa", "aba", "aaaa", "aaaaa", "abcdabcd", "abcabcd", "aaaaaaa", "aaaaaaaa",
            "aaaaaaaaa", "abcdefgh", "abcdefghi", "bcdefghi", "aria-describedby", "é",
        ]
        let letters = try names.map { try #require(Array($0.utf8).withUnsafeBufferPointer(KnownNames.Letters.init)) }
        for (index, one) in letters.enumerated() {
            #expect(letters.firstIndex(of: one) == index)
        }
    }
}
