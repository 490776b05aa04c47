import CurlClient
import Selectors
import Testing
import WebURL

@testable import HTMLEngine

@Suite("Fields for one character each")
struct CharacterFieldsTests {
    private static func fields(_ html: String, _ locator: Locator) throws -> [String] {
        let page = try Page(
            rendered: "<title>Bank</title>" + html, contentType: "text/html; charset=utf-8", status: 200, headers: [],
            url: try URLRecord(parsing: "https://bank.example/"))
        return try page.characterFields(of: locator).map { try page.element($0)[attribute: "id"] ?? "" }
    }

    @Test(
        "are found by their group",
        arguments: [
            "<fieldset><legend>Code</legend><input id=a maxlength=1><input id=b maxlength=1></fieldset>",
            "<input type=hidden><div role=group aria-label=Code><input id=a maxlength=1> - <input id=b maxlength=1></div>",
            "<fieldset><legend>Code</legend><input id=a size=1><input id=b size=1></fieldset>",
            "<fieldset><legend>Code</legend><input id=a type=number max=9><input id=b type=number max=9></fieldset>",
            "<fieldset><legend>Code</legend><input id=a pattern='[0-9]'><input id=b pattern='[0-9]'></fieldset>",
            "<h2>Code</h2><div><input id=a maxlength=1><input id=b maxlength=1></div>",
            "<form><p>Code</p><div><div><input id=a maxlength=1></div><div><input id=b maxlength=1></div></div></form>",
        ])
    func found(_ html: String) throws {
        #expect(try Self.fields(html, .field("Code")) == ["a", "b"])
    }

    @Test(
        "are nothing but that",
        arguments: [
            // One field, and fields that hold more than a character.
            "<label>Code <input id=a></label>",
            "<label>Code <input id=a maxlength=1></label>",
            "<fieldset><legend>Code</legend><input id=a maxlength=3><input id=b maxlength=3></fieldset>",
            // Fields beside another one, such as for a name.
            "<fieldset><legend>Code</legend><input id=a maxlength=1><input id=b maxlength=1><input id=c></fieldset>",
            // Two groups of the same name.
            """
            <fieldset><legend>Code</legend><input id=a maxlength=1><input id=b maxlength=1></fieldset>
            <fieldset><legend>Code</legend><input id=c maxlength=1><input id=d maxlength=1></fieldset>
            """,
            "<p>Code</p>", "<p>Code</p><button>?</button><div><input id=a maxlength=1><input id=b maxlength=1></div>",
        ])
    func notFound(_ html: String) throws {
        #expect(try Self.fields(html, .field("Code")) == [])
    }
}
