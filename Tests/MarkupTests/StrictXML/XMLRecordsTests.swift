import Markup
import Testing

@Suite("XML from outside")
struct XMLRecordsTests {
    private func read(_ text: String, limits: XMLLimits = XMLLimits()) throws -> [MarkupElement] {
        var roots: [MarkupElement] = []
        try XMLRecords.read(Array(text.utf8), limits: limits) { element in
            roots.append(element)
            return false
        }
        return roots
    }

    @Test("keeps many names and namespaces apart")
    func manyNames() throws {
        let parts = (0..<3_000).map { "<n\($0) xmlns='urn:\($0)'/><n0/>" }.joined()
        let elements = try read("<a>\(parts)</a>").dropLast()
        #expect(elements.map(\.name) == (0..<3_000).flatMap { ["n\($0)", "n0"] })
        #expect(elements.map(\.namespace) == (0..<3_000).flatMap { ["urn:\($0)", ""] })
    }

    @Test("has names, namespaces, attributes, lines and XML's own entities")
    func elements() throws {
        let elements = try read("<a xmlns='urn:x'>\n<b c='1 &lt; 2'>x &amp; <![CDATA[<y>]]></b></a>")
        #expect(elements.map(\.name) == ["b", "a"])
        #expect(elements[0].namespace == "urn:x")
        #expect(elements[0].attributes == ["c": "1 < 2"])
        #expect(elements[0].text == "x & <y>")
        #expect(elements[0].line == 2)
    }

    @Test(
        "is refused with a document type, which is where entities come from",
        arguments: [
            "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'><a/>",
            "<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;&l;'>]><a>&m;</a>",
        ])
    func documentTypes(text: String) {
        #expect { try read(text) } throws: { ($0 as? XMLError)?.code == .forbidden }
    }

    @Test(
        "is refused when it is not well-formed, with the line",
        arguments: ["", "<a>\n<b></a>", "<a>\n&unknown;</a>", "<a>\n<b>", "<a/><a/>", "text"])
    func malformed(text: String) {
        #expect { try read(text) } throws: { ($0 as? XMLError)?.code == .malformed }
    }

    @Test("may have any number of line ends and spaces between elements")
    func whiteSpace() throws {
        let lines = String(repeating: "\n    <b/>", count: 50)
        let limits = XMLLimits(depth: 3, text: 10, children: 100)
        #expect(try read("<a>\(lines)</a>", limits: limits).count == 51)
        #expect(try read("<a>x &amp; &lt;</a>").map(\.text) == ["x & <"])
    }

    @Test("is refused beyond the limits")
    func limits() {
        let small = XMLLimits(depth: 3, text: 10, children: 2)
        #expect { try read("<a><a><a><a/></a></a></a>", limits: small) } throws: {
            ($0 as? XMLError)?.code == .tooDeep
        }
        for text in ["<a>12345678901</a>", "<a b='12345678901'/>", "<a><b/><b/><b/></a>"] {
            #expect { try read(text, limits: small) } throws: { ($0 as? XMLError)?.code == .tooLarge }
        }
    }
}
