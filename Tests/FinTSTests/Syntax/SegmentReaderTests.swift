import FinTS
import Secrets
import Testing

@Suite("Reading and writing segments")
struct SegmentReaderTests {
    private func read(_ text: String) throws -> [Segment] {
        try SegmentReader.segments(of: try #require(Latin1.bytes(of: text)))
    }

    @Test("reads the header, groups, elements, bytes and escaped characters")
    func reads() throws {
        let segments = try read("HIRMS:4:2:3+0020::J?+a ?'ü?'+@3@a'b:N++7'HNHBS:5:1+2'")
        #expect(segments.map(\.code) == ["HIRMS", "HNHBS"])
        let first = segments[0]
        #expect((first.number, first.version, first.reference) == (4, 2, 3))
        #expect(first.group(1).map(\.text) == ["0020", "", "J+a 'ü'"])
        #expect(first.element(2, 1).bytes == Array("a'b".utf8))
        #expect(first.element(2, 2).text == "N")
        #expect(first.element(3).text == "")
        #expect(first.element(4).number == 7)
        #expect(first.element(9, 9).text == "")
    }

    @Test(
        "refuses anything that is not a list of whole segments",
        arguments: [
            "HNHBS:5:1+2", "HNHBS", "'", "HN:1:1'", "hnhbs:1:1'", "HNHBS:1'", "HNHBS:1:1:1:1'", "HNHBS:x:1'",
            "HNHBS:01:1'", "HNHBS:1:1000'", "HNHBS:1:1:x'", "HNHBS:1:1+@4@abc'", "HNHBS:1:1+@3@abcd'",
            "HNHBS:1:1+@a@abc'",
            "HNHBS:1:1+@@'", "HNHBS:1:1+@-1@'", "HNHBS:1:1+@9999999999@a'", "HNHBS:1:1+@3", "HNHBS:1:1+@",
            "HNHBS:1:1+a@1@b'",
            "HNHBS:1:1+?a'", "HNHBS:1:1+?", "HNHBS:1:1+a\u{0}'", "HNHBS:1:1+a\u{7}'", "HNHBS:1:1+@0@+@0@",
            "HNHBS:1:1'x",
        ])
    func refuses(_ text: String) {
        #expect(throws: SyntaxFault.self) { try read(text) }
    }

    @Test("an empty message has no segments")
    func empty() throws {
        #expect(try SegmentReader.segments(of: []).isEmpty)
    }

    @Test("limits the segments of a message, the groups of a segment and the elements of a group")
    func limits() {
        var limits = SegmentReader.Limits()
        limits.segments = 2
        limits.groupsOfSegment = 3
        limits.elementsOfGroup = 4
        func count(_ text: String) -> Int? {
            try? SegmentReader.segments(of: Array(text.utf8), limits: limits).count
        }
        #expect(count("HNHBS:1:1'HNHBS:1:1'") == 2)
        #expect(count("HNHBS:1:1'HNHBS:1:1'HNHBS:1:1'") == nil)
        #expect(count("HNHBS:1:1+a+b'") == 1)
        #expect(count("HNHBS:1:1+a+b+c'") == nil)
        #expect(count("HNHBS:1:1+a:b:c:d'") == 1)
        #expect(count("HNHBS:1:1+a:b:c:d:e'") == nil)
    }

    @Test("limits the elements of a whole message, each of which costs more memory than its byte")
    func elements() throws {
        let segment = "HIXYZ:1:1" + String(repeating: "+" + String(repeating: ":", count: 999), count: 50) + "'"
        #expect(try SegmentReader.segments(of: Array(segment.utf8)).count == 1)
        let many = String(repeating: segment, count: 20)
        #expect(throws: SyntaxFault.self) { try SegmentReader.segments(of: Array(many.utf8)) }
    }

    @Test("writes what it reads, without empty elements at an end")
    func roundTrip() throws {
        let text = "HKIDN:3:2+280:12345678+a?+b+@2@'++J?@'"
        #expect(Latin1.text(try SegmentWriter.bytes(of: try read(text))) == text)
        let segment = Segment("HKEND", version: 1, number: 3, [[.text("1"), .empty], [], [.empty]])
        #expect(Latin1.text(try SegmentWriter.bytes(of: [segment])) == "HKEND:3:1+1'")
    }

    @Test("cannot write a text beyond ISO 8859-1, also in a secret")
    func beyondLatin1() {
        for element in [DataElement.text("€"), .secret(Secret("ś"))] {
            #expect(throws: SyntaxFault.self) {
                try SegmentWriter.bytes(of: [Segment("HKIDN", version: 2, number: 3, [[element]])])
            }
        }
    }

    @Test("escapes a PIN")
    func secrets() throws {
        let segment = Segment("HNSHA", version: 2, number: 4, [[.secret(Secret("a+b'?:@ä"))]])
        #expect(Latin1.text(try SegmentWriter.bytes(of: [segment])) == "HNSHA:4:2+a?+b?'???:?@ä'")
    }

    @Test(
        "a number is digits without a leading zero",
        arguments: [
            ("0", 0), ("7", 7), ("120", 120), ("007", nil), ("", nil), ("-1", nil), ("1a", nil), ("1234567890", nil),
        ])
    func numbers(_ text: String, _ number: Int?) {
        #expect(DataElement.word(text).number == number)
    }
}
