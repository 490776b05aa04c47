import Testing

@testable import HTMLEngine

struct TagTests {
    @Test("every name is its tag’s, and no other is")
    func names() {
        for tag in Tag.allCases where tag != .other {
            let name = tag == .annotationXML ? "annotation-xml" : "\(tag)"
            tag.withSpelling { #expect(String(decoding: $0, as: UTF8.self) == name) }
            #expect(Array(name.utf8).withUnsafeBufferPointer(Tag.init(named:)) == tag)
            #expect(Array("\(name)x".utf8).withUnsafeBufferPointer(Tag.init(named:)) == .other)
        }
        #expect(Array("".utf8).withUnsafeBufferPointer(Tag.init(named:)) == .other)
    }
}
