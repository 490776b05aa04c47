import Encodings
import Testing

@testable import Markup

@Suite("An answer in XML, as paths see it")
struct XMLAnswerTests {
    @Test(
        "has its texts, attributes and children by their names",
        arguments: [
            ("<A><S>Success</S><R>17</R></A>", #"{"A":{"R":"17","S":"Success"}}"#),
            ("<?xml version='1.0'?><A x='1'/>", #"{"A":{"@x":"1"}}"#), (" <A/>", #"{"A":""}"#),
            ("<A><B i='1'/><B i='2'/></A>", #"{"A":{"B":[{"@i":"1"},{"@i":"2"}]}}"#),
            ("<A i='1'> two\n words </A>", ##"{"A":{"#text":"two words","@i":"1"}}"##),
            ("<n:A xmlns:n='u'><n:B>&amp;&#65;</n:B></n:A>", #"{"A":{"B":"&A"}}"#),
        ])
    func reads(xml: String, json: String) throws {
        let value = try #require(XMLAnswer.json(Array(xml.utf8), contentType: "text/xml"))
        #expect(String(decoding: try value.canonicalBytes(), as: UTF8.self) == json)
    }

    @Test(
        "is not read from another text",
        arguments: [
            "", "A", "{}", "<A>", "<A></B>", "<A/><B/>", "<!DOCTYPE A [<!ENTITY e 'x'>]><A>&e;</A>", "<A>&e;</A>",
            String(repeating: "<A>", count: 70) + String(repeating: "</A>", count: 70),
        ])
    func refuses(text: String) {
        #expect(XMLAnswer.json(Array(text.utf8), contentType: "text/xml") == nil)
    }

    @Test("is not read from a page")
    func page() {
        #expect(XMLAnswer.json(Array("<html/>".utf8), contentType: "text/html; charset=utf-8") == nil)
        #expect(XMLAnswer.json(Array("<html/>".utf8), contentType: "application/xhtml+xml") == nil)
        #expect(XMLAnswer.json(Array("<A/>".utf8), contentType: nil) != nil)
    }
}
