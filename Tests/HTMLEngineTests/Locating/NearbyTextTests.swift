import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("A field without a label")
struct NearbyTextTests {
    private static func found(_ html: String, _ locator: Locator) throws -> String {
        let document = try Document.parse(
            Array("<title>Bank</title>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        return try document.elements(locator).map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
    }

    @Test(
        "is found by the text beside it",
        arguments: [
            "<table><tr><td>User ID:<td><input id=x><tr><td>Password<td><input type=password id=y></table>",
            "<table><tr><td><b>User ID</b> *<td>&nbsp;<td><input id=x><tr><td>PIN<td><input id=y></table>",
            "<table><tr><td>User ID<td>:<td><input id=x><tr><td>PIN<td>:<td><input id=y></table>",
            "<form>User ID: <input id=x><br>Password: <input id=y></form>",
            "<form><b>User ID</b>: <input id=x><br>Password: <input id=y></form>",
            "<form><div>User ID</div><input id=x><div>Password</div><input id=y></form>",
            "<div><span class=l>User ID</span> <input id=x></div><div><span class=l>PIN</span> <input id=y></div>",
            "<form><div><div>User ID</div><div><span><input id=x></span></div></div><input id=y></form>",
            "<div><label for=nowhere>User ID:</label> <span><input id=x></span></div>",
            "<form><label>User ID</label><input id=x><label>Password</label><input id=y></form>",
            "<dl><dt>User ID<dd><input id=x><dt>Password<dd><input id=y></dl>",
            "<table><tr><td>User ID<td>Password<tr><td><input id=x><td><input id=y></table>",
            "<form><p>Welcome. Please sign in.</p><div>User ID</div><input id=x placeholder='8 digits'></form>",
            "<form><input type=hidden name=t>User ID <input type=hidden><input id=x></form>",
            "<form><select id=x><option>User ID</select></form><label>Other <input id=z></label><label for=x>User ID</label>",
            "<table><tr><td>User ID<td><select id=x><option>A</select></table>",
            "<p><input type=checkbox id=x> User ID <input type=checkbox id=y> Other</p>",
            "<table><tr><td><input type=checkbox id=x><td>User ID</table>",
            "<table><tr><td>Password<td>User ID<tr><td><input id=y><td><input id=x></table>",
            "<div class=floating><input id=x><label>User ID</label></div><div><input id=y><label>Password</label></div>",
            "<div class=floating><input id=x><span>User ID</span></div><input id=y>",
            "<table><tr><td><table><tr><td>User ID:</table><td><table><tr><td><input id=x></table></table>",
            "<table><tr><td><img src=u.gif alt='User ID'><td><input id=x></table>",
            "<div>User ID<label for=x></label><input id=x></div>", "<div>User ID <input id=x aria-label=''></div>",
            "<div>User ID <input id=x aria-labelledby=nowhere></div>",
            "<form><div><h4>User ID</h4><input id=x></div><div><h4>Password</h4><input id=y></div></form>",
        ])
    func named(html: String) throws {
        #expect(try Self.found(html, .field("User ID")) == "x")
    }

    @Test(
        "is not found by a text that may be another field's, so that no secret goes into the wrong one",
        arguments: [
            // The column of names stands before the column of fields.
            "<div><div>User ID</div><div>Password</div></div><div><input id=x><input id=y></div>",
            "<div><p>User ID</p><p>Password</p></div><div><input id=x></div>",
            // The text is the label of a field, or stands before another control.
            "<label for=u>Password</label><input id=u><input id=x>",
            "Password <input id=u aria-label=PIN> <input id=x>",
            "Password <button>?</button> <input id=x>",
            // A heading, a text outside the form, another row.
            "<h2>Password</h2><input id=x>", "<form><h2>Password</h2><input id=x></form>",
            "<div><h2>Password</h2><input id=y><input id=x></div>",
            // The text after a field is about it only where nothing else is in the block.
            "<div><input id=x><span>Password</span><input id=y></div>",
            "<p><input id=x><span>Password <input type=checkbox></span>",
            "<table><tr><td>User<td>Password<tr><td>PIN<td><input id=x></table>",
            "<p>Password</p><form><input id=x></form>",
            "<table><tr><td>Password<tr><td><input id=x></table>",
            // Hidden, or no name at all.
            "<p hidden>Password</p><input id=x>",
            "<p>12 / 34 – Password, which is the word that you have chosen when you "
                + "opened your account with us at one of our branches</p><input id=x>",
            // It has a name that says otherwise.
            "Password <label>User <input id=x></label>", "Password <input id=x aria-label=User>",
        ])
    func unnamed(html: String) throws {
        #expect(try Self.found(html, .field("Password")) != "x")
    }

    @Test("has its place in the line for a character at a position")
    func position() throws {
        let html = "<table><tr><td>Character 3<td><input id=a maxlength=1><tr><td>Character 13<td><input id=b></table>"
        #expect(try Self.found(html, .field("Character 3")) == "a")
        #expect(try Self.found(html, .field("Character 13")) == "b")
        #expect(try Self.found(html, .field("Character 1")) == "")
    }

    @Test("is suggested by that text, and the suggestion finds it")
    func suggestion() throws {
        let document = try Document.parse(
            Array("<table><tr><td>Customer:<td><input></table>".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        let error = #expect(throws: LocatorError.self) { try document.element(.field("User ID")) }
        let locator = try #require(error?.candidates.first?.locator)
        #expect(try document.elements(locator).count == 1)
    }

    @Test("costs a page of a thousand of them no more than a moment", .timeLimit(.minutes(3)))
    func many() throws {
        let html = "<div>" + String(repeating: "<p>a</p><input>", count: 5000) + "</div>"
        #expect(try Self.found(html, .field("Password")) == "")
    }
}
