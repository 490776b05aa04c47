import Testing

@testable import Markup

/// Trees as Chromium 156 builds them (`chromium --headless --dump-dom`), without comments and with all names in lower
/// case, as this parser keeps them.
@Suite("A page's tree is the browser's")
struct BrowserTreeTests {
    private static func tree(_ html: String) throws -> String {
        let document = try Document.parse(
            Array("<!doctype html>\(html)".utf8), contentType: "text/html; charset=utf-8")
        return try #require(document.root).children.map(Serialization.html).joined()
    }

    @Test(
        "with elements left out, misnested or out of place",
        arguments: [
            (
                "<table><tr><td>a</td></tr></table>",
                "<head></head><body><table><tbody><tr><td>a</td></tr></tbody></table></body>"
            ),
            (
                "<table><tr><td>a<td>b<tr><th>c</table>",
                "<head></head><body><table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></tbody></table></body>"
            ),
            (
                "<table><thead><tr><th>h</thead><tr><td>a<tfoot><tr><td>f</table>",
                "<head></head><body><table><thead><tr><th>h</th></tr></thead><tbody><tr><td>a</td></tr></tbody><tfoot><tr><td>f</td></tr></tfoot></table></body>"
            ),
            (
                "<table>x<tr>y<td>z</td>w</table>",
                "<head></head><body>xyw<table><tbody><tr><td>z</td></tr></tbody></table></body>"
            ),
            (
                "<table><caption>c<colgroup><col><tr><td>a</table>",
                "<head></head><body><table><caption>c</caption><colgroup><col></colgroup><tbody><tr><td>a</td></tr></tbody></table></body>"
            ),
            ("<table><td>a</table>", "<head></head><body><table><tbody><tr><td>a</td></tr></tbody></table></body>"),
            (
                "<table><form><tr><td><input name=a></td></tr></form></table>",
                "<head></head><body><table><form></form><tbody><tr><td><input name=\"a\"></td></tr></tbody></table></body>"
            ),
            (
                "<table><tr><form><td><input name=a></td></form></tr></table><input name=b>",
                "<head></head><body><table><tbody><tr><form></form><td><input name=\"a\"></td></tr></tbody></table><input name=\"b\"></body>"
            ),
            (
                "<table><form><tr><td><input name=a></table><input name=b>",
                "<head></head><body><table><form></form><tbody><tr><td><input name=\"a\"></td></tr></tbody></table><input name=\"b\"></body>"
            ),
            (
                "<form id=a><form id=b><input name=x></form><input name=y></form>",
                "<head></head><body><form id=\"a\"><input name=\"x\"></form><input name=\"y\"></body>"
            ),
            (
                "<form><div></form><input name=a></div>",
                "<head></head><body><form><div><input name=\"a\"></div></form></body>"
            ),
            (
                "<div><form></div><input name=a></form><input name=b>",
                "<head></head><body><div><form></form></div><input name=\"a\"><input name=\"b\"></body>"
            ),
            (
                "<table><input type=hidden name=a><tr><td>x</table>",
                "<head></head><body><table><input type=\"hidden\" name=\"a\"><tbody><tr><td>x</td></tr></tbody></table></body>"
            ),
            (
                "<table><input name=a><tr><td>x</table>",
                "<head></head><body><input name=\"a\"><table><tbody><tr><td>x</td></tr></tbody></table></body>"
            ),
            (
                "<select><option>a<option selected>b<optgroup label=g><option>c<optgroup label=h><option>d</select>",
                "<head></head><body><select><option>a</option><option selected=\"\">b</option><optgroup label=\"g\"><option>c</option></optgroup><optgroup label=\"h\"><option>d</option></optgroup></select></body>"
            ),
            (
                "<select><option>a<select><option>b</select>",
                "<head></head><body><select><option>a</option></select><option>b</option></body>"
            ),
            (
                "<select><option>a<input name=x></select>",
                "<head></head><body><select><option>a</option></select><input name=\"x\"></body>"
            ),
            (
                "<table><tr><td><select><option>a<td>b</table>",
                "<head></head><body><table><tbody><tr><td><select><option>a</option></select></td><td>b</td></tr></tbody></table></body>"
            ),
            (
                "<select><script>1</script><option>a</select>",
                "<head></head><body><select><script>1</script><option>a</option></select></body>"
            ),
            (
                "<textarea>\n<b>a</b> &amp; <!-- c --></textarea>",
                "<head></head><body><textarea>&lt;b&gt;a&lt;/b&gt; &amp; &lt;!-- c --&gt;</textarea></body>"
            ),
            ("<textarea>\n\na</textarea>", "<head></head><body><textarea>\na</textarea></body>"),
            ("<textarea><p>a</p>", "<head></head><body><textarea>&lt;p&gt;a&lt;/p&gt;</textarea></body>"),
            ("<pre>\na</pre>", "<head></head><body><pre>a</pre></body>"),
            ("<title><b>a</b></title><p>x", "<head><title>&lt;b&gt;a&lt;/b&gt;</title></head><body><p>x</p></body>"),
            ("<p>a<p>b<div>c</p>d</div>", "<head></head><body><p>a</p><p>b</p><div>c<p></p>d</div></body>"),
            (
                "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>",
                "<head></head><body><ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul></body>"
            ),
            ("<b>a<i>b</b>c</i>d", "<head></head><body><b>a<i>b</i></b><i>c</i>d</body>"),
            ("<b><p>a</b>b</p>c", "<head></head><body><b></b><p><b>a</b>b</p>c</body>"),
            ("<a href=1>a<a href=2>b</a>", "<head></head><body><a href=\"1\">a</a><a href=\"2\">b</a></body>"),
            ("<h1>a</h2>b", "<head></head><body><h1>a</h1>b</body>"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "<head></head><body><dl><dt>a</dt><dd>b</dd><dt>c</dt></dl></body>"),
            ("<button>a<button>b</button>", "<head></head><body><button>a</button><button>b</button></body>"),
            ("a</br>b</p>c", "<head></head><body>a<br>b<p></p>c</body>"),
            (
                "<bank-account id=x><p>a</bank-account>b",
                "<head></head><body><bank-account id=\"x\"><p>ab</p></bank-account></body>"
            ),
            (
                "<svg viewBox='0 0 1 1'><linearGradient/><foreignObject><p>a</foreignObject></svg>b",
                "<head></head><body><svg viewBox=\"0 0 1 1\"><lineargradient></lineargradient><foreignobject><p>ab</p></foreignobject></svg></body>"
            ),
            (
                "<math><mi>x</mi><annotation-xml encoding='text/html'><p>a</annotation-xml></math>",
                "<head></head><body><math><mi>x</mi><annotation-xml encoding=\"text/html\"><p>a</p></annotation-xml></math></body>"
            ),
            ("&lt;&nbsp;&euro;&#128;&#x1F600;&notit;&amp", "<head></head><body>&lt;&nbsp;€€😀¬it;&amp;</body>"),
            ("<p id=a id=b CLASS=X>t", "<head></head><body><p id=\"a\" class=\"X\">t</p></body>"),
            ("<!--a--!>b<!-->c<!--->d", "<head></head><body>bcd</body>"),
            ("<body id=a><body id=b class=c>x", "<head></head><body id=\"a\" class=\"c\">x</body>"),
            (
                "<table><tr><td><table><tr><td>a</table>b</table>",
                "<head></head><body><table><tbody><tr><td><table><tbody><tr><td>a</td></tr></tbody></table>b</td></tr></tbody></table></body>"
            ),
            (
                "<table><tr><div>x</div><td>a</table>",
                "<head></head><body><div>x</div><table><tbody><tr><td>a</td></tr></tbody></table></body>"
            ),
            ("<ruby>a<rt>b<rp>c</ruby>", "<head></head><body><ruby>a<rt>b</rt><rp>c</rp></ruby></body>"),
            (
                "<frameset><frame src='about:blank'></frameset>",
                "<head></head><frameset><frame src=\"about:blank\"></frameset>"
            ),
            (
                "<fieldset><legend>a<label>b<input></fieldset>c",
                "<head></head><body><fieldset><legend>a<label>b<input></label></legend></fieldset>c</body>"
            ),
            (
                "<details><summary>a<p>b</details>",
                "<head></head><body><details><summary>a<p>b</p></summary></details></body>"
            ),
            ("<image src=x>a", "<head></head><body><img src=\"x\">a</body>"),
            ("<nobr>a<nobr>b", "<head></head><body><nobr>a</nobr><nobr>b</nobr></body>"),
            (
                "<p>a<select><option>b</select>c",
                "<head></head><body><p>a<select><option>b</option></select>c</p></body>"
            ),
            ("<body>a<head><title>t</title>", "<head></head><body>a<title>t</title></body>"),
            ("<html><body>a</body></html>b<!--c-->", "<head></head><body>ab</body>"),
            (
                "<table><tr><td>a<wbr>b</tr></table>",
                "<head></head><body><table><tbody><tr><td>a<wbr>b</td></tr></tbody></table></body>"
            ),
            ("<option>a<option>b", "<head></head><body><option>a</option><option>b</option></body>"),
        ])
    func trees(source: String, expected: String) throws {
        #expect(try Self.tree(source) == expected)
    }

    @Test(
        "a select holds more than options",
        arguments: [
            (
                "<select><option><b>a</b> b<option>c</select>",
                "<select><option><b>a</b> b</option><option>c</option></select>"
            ),
            (
                "<select><div><option>a</div><option>b</select>",
                "<select><div><option>a</option></div><option>b</option></select>"
            ),
            (
                "<select><option>a<hr><option>b</select>",
                "<select><option>a</option><hr><option>b</option></select>"
            ),
            (
                "<select><button>x</button><option>a</select>",
                "<select><button>x</button><option>a</option></select>"
            ),
            (
                "<select><option>a<textarea>b</textarea></select>",
                "<select><option>a<textarea>b</textarea></option></select>"
            ),
            (
                "<p>a<dialog>b</dialog><p>c<search>d</search>",
                "<p>a</p><dialog>b</dialog><p>c</p><search>d</search>"
            ),
        ])
    func lists(source: String, expected: String) throws {
        #expect(try Self.tree(source) == "<head></head><body>\(expected)</body>")
    }

    @Test("a template's content and its controls are not part of the document")
    func templates() throws {
        let html = "<form><template><p><input name=t></form></template><input name=a></form><input name=b>"
        #expect(
            try Self.tree(html)
                == "<head></head><body><form><template></template><input name=\"a\"></form><input name=\"b\"></body>")
        let document = try Document.parse(Array(html.utf8))
        #expect(document.controls.map(\.formOwner) == [document.forms[0], nil])
    }

    struct Nesting: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let source: String
        let expected: String
    }

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    /// Beyond 512 open elements, a browser makes each further one a sibling of its parent.
    private static let nestings = [
        Nesting(
            testDescription: "600 divs", source: times(600, "<div>") + "x" + times(600, "</div>") + "<p>y",
            expected: times(511, "<div>") + times(89, "</div><div>") + "x" + times(511, "</div>") + "<p>y</p>"),
        Nesting(
            testDescription: "600 divs that stay open", source: times(600, "<div>") + "x<i>y",
            expected: times(511, "<div>") + times(89, "</div><div>") + "x</div><i>y</i>" + times(510, "</div>")),
        Nesting(
            testDescription: "600 divs with text",
            source: times(600, "<div>t") + times(100, "</div>") + "z",
            expected: times(511, "<div>t") + times(89, "</div><div>t") + times(11, "</div>") + "z"
                + times(500, "</div>")),
        Nesting(
            testDescription: "300 tables in one another",
            source: times(300, "<table><tr><td>") + "x" + times(300, "</table>") + "y",
            expected: times(127, "<table><tbody><tr><td>") + "<table><tbody>"
                + times(172, "<tr></tr><td></td><table></table><tbody></tbody>") + "<tr></tr><td>x</td>"
                + times(127, "</tbody></table></td></tr>") + "</tbody></table>y"),
        Nesting(
            testDescription: "600 bold elements", source: times(600, "<b>") + "x<p>y",
            expected: times(511, "<b>") + times(89, "</b><b>") + "x</b><p>y</p>" + times(510, "</b>")),
        Nesting(
            testDescription: "300 lists in one another", source: times(300, "<ul><li>") + "x",
            expected: times(255, "<ul><li>") + times(44, "<ul></ul><li></li>") + "<ul></ul><li>x</li></li>"
                + times(254, "</ul></li>") + "</ul>"),
    ]

    @Test("nests as deep as a browser's, and no deeper", arguments: nestings)
    func depth(nesting: Nesting) throws {
        #expect(try Self.tree(nesting.source) == "<head></head><body>\(nesting.expected)</body>")
    }
}
