import Markup
import Selectors
import Testing

@testable import HTMLEngine

/// Shapes of lists in which the wanted month has no document, or stands beside one with a similar name. The link with the id
/// `right` is the wanted one.
@Suite("A row has never a neighbour's control")
struct NeighbourTests {
    private static let right = "<a id=right href=/r>Download</a>"
    private static let wrong = "<a id=wrong href=/w>Download</a>"

    private static func found(_ html: String, in row: String) throws -> String? {
        let document = try Document.parse(
            Array("<title>Bank</title><body>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/")
        let link = try? document.element(.link("Download").within(.row(.name(row))))
        return link?[attribute: "id"]
    }

    @Test(
        "where the month has none",
        arguments: [
            "<div><h3>April 2025</h3><p>not yet</p><h3>March 2025 (new)</h3>W</div>",
            "<div><div>April 2025</div><div>March 2025 (new)</div>W</div>",
            "<div><div class='m'>April 2025</div><div class='m new'>March 2025 (new)</div>W</div>",
            "<div><span>April 2025</span> – <span>March 2025 (new)</span> W</div>",
            "<div><div class=odd>April 2025 - not yet</div><div class=even>March 2025 W</div></div>",
            "<div><p class=odd>April 2025 - not yet</p><p class=even>March 2025 W</p></div>",
            "<div><div class=pending>April 2025</div><div class=ready>March 2025 W</div></div>",
            "<div><div>April 2025</div><div>New: March 2025</div>W</div>",
            "<div><div>APRIL 2025</div><div>MAY 2025 (new)</div>W</div>",
            "<div>April 2025: not yet<br>March 2025: W</div>",
            "<div>April 2025: not yet<br>Annual report W</div>",
            "<div><b>April 2025</b> not yet<br>Annual report W</div>",
            "<p>April 2025<br>March 2025 (new) W<br>",
            "<li>April 2025<br>March 2025 (new) W<br>",
            "<li><div>April 2025</div><div>March 2025 (new)</div>W</li>",
            "<section><h3>April 2025</h3><p>not yet</p><h2>Tax documents</h2>W</section>",
            "<section><p>April 2025</p><p>not yet</p><h2>Tax documents</h2>W</section>",
            "<div><h3>March 2025</h3>W<h3>April 2025</h3><p>not yet</p><hr><p>W</div>",
            "<ul><li>May 2025<br>not yet<br>Annual report W<li>April 2025<br>not yet<br>Annual report W</ul>",
            "<ul><li>May 2025 not yet<br>Annual report W<li>April 2025 not yet<br>Annual report W</ul>",
            "<ul><li>May 2025 not yet<li>April 2025 not yet<li>March 2025 W</ul>",
            "<ul><li>May 2025 not yet<li>April 2025 not yet<li>Annual report W</ul>",
            "<table><tr><td>May 2025<td>not yet<tr><td>April 2025<td>not yet<tr><td>March 2025<td>W</table>",
            "<table><tr><th>Month<th>File<tr><td>April 2025<td>-<tr><td>March 2025<td>W<tr><td>May 2025<td>-</table>",
            "<table><tr><td>April 2025<td>EUR 1.20<td>-<tr><td>March 2025<td>EUR 110.00<td>W<tr><td>May 2025<td>EUR 1.20<td>-</table>",
            "<div><p>May 2025: not yet</p><p>April 2025: not yet</p><p>March 2025 W</p></div>",
            "<table><caption>April 2025</caption><tr><td>Statement<td>not yet</table><table><caption>March 2025</caption><tr><td>Statement<td>W</table>",
            "<table><tr><td rowspan=2>April 2025<td>Current<td>-<tr><td>Savings<td>-<tr><td rowspan=2>March 2025<td>Current<td>W<tr><td>Savings<td>-</table>",
            "<table><tr><td>April 2025<td>March 2025<tr><td>not yet<td>W<tr><td>February 2025<td>January 2025<tr><td>-<td>-</table>",
            "<dl><dt>April 2025<dd>not yet<dt>March 2025 (new)<dd>W</dl>",
            "<dl><div><dt>April 2025<dd>not yet</div><div><dt>March 2025 (new)<dd>W</div></dl>",
            "<div><div>April 2025</div><div>not yet</div><div>March 2025 (new)</div><div>W</div></div>",
            "<div><div><div>April 2025</div><div>March 2025</div></div><div><div>not yet</div><div>W</div></div></div>",
            "<div><div class=e><div class=t><span>April 2025</span></div><div>not yet</div></div><div class=e><div class=t>March 2025 <b>new</b></div><div>W</div></div></div>",
            "<div><span><b>April 2025</b> not yet</span> <span><b>March 2025</b> (new) W</span></div>",
            "<details><summary>April 2025</summary><p>nothing</p></details><details><summary>March 2025</summary>W</details>",
            "<table><tbody><tr><th colspan=2>April 2025<tr><td>Current<td>not yet</tbody><tbody><tr><th colspan=2>March 2025<tr><td>Current<td>W</tbody></table>",
            "<table><tr><td colspan=2>May 2025<tr><td>Current<td>W<tr><td colspan=2>April 2025<tr><td>Current<td>not yet<tr><td colspan=2>March 2025 (new)<tr><td>Current<td>W</table>",
        ])
    func without(html: String) throws {
        let html = html.replacing("W", with: Self.wrong)
        #expect(try Self.found(html, in: html.contains("APRIL") ? "APRIL 2025" : "April 2025") == nil)
    }

    @Test(
        "where the next one's number has another length",
        arguments: [
            ("9/2025", "<div><div>9/2025</div><div>10/2025</div>W</div>"),
            ("9/2025", "<div><span>9/2025</span> – <span>10/2025</span> W</div>"),
            ("1/2026", "<div><div>1/2026</div><div>12/2025</div>W</div>"),
            ("Auszug 9/2025", "<div>Auszug 9/2025<br>Auszug 10/2025<br>W</div>"),
            ("9 April 2025", "<div><p>9 April 2025</p><p>10 March 2025</p>W</div>"),
            (
                "9. April 2025",
                "<div><div class=m>9. April 2025</div><div class='m new'>10. März 2025 (neu)</div>W</div>"
            ),
            ("9 April 2025", "<div>9 April 2025: not yet<br>10 March 2025: W</div>"),
            ("Statement 99", "<div><div>Statement 99</div><div>Statement 100</div>W</div>"),
        ])
    func lengths(row: String, html: String) throws {
        #expect(try Self.found(html.replacing("W", with: Self.wrong), in: row) == nil)
    }

    @Test(
        "where another has a similar name",
        arguments: [
            ("Oct 2025", "<table><tr><td>Oct 2025 (corrected)<td>W<tr><td>Oct 2025<td>R</table>"),
            ("Oct 2025", "<div class=c><b>Oct 2025 (corrected)</b><p>W</div><div class=c><b>Oct 2025</b><p>R</div>"),
            ("1", "<table><tr><td>10<td>W<tr><td>1<td>R<tr><td>11<td>W</table>"),
            ("Statement 1", "<ul><li>Statement 10 W<li>Statement 1 R</ul>"),
            ("Account 12", "<table><tr><td>Account 123<td>W<tr><td>Account 12<td>R</table>"),
            ("April 2025", "<dl><dt>April 2025<dd>R<dt>March 2025 (new)<dd>W</dl>"),
            ("April 2025", "<div><div>April 2025</div><div>R</div><div>March 2025 (new)</div><div>W</div></div>"),
            (
                "April 2025",
                "<article><header><h3>April 2025</h3></header><p>Created 2 May 2025</p>R</article><article><header><h3>March 2025 (new)</h3></header><p>Created 2 April 2025</p>W</article>"
            ),
            (
                "April 2025",
                "<div class=c><div>April 2025</div><div>Created 2 May 2025</div>R</div><div class=c><div>March 2025</div><div>Created 2 April 2025</div>W</div>"
            ),
            (
                "April 2025",
                "<div class=c><div>April 2025</div><div>Statement</div><div>120 kB</div><div>R</div></div><div class=c><div>March 2025</div><div>Statement</div><div>130 kB</div><div>W</div></div>"
            ),
            (
                "April 2025",
                "<div class=c><span>April 2025</span><h3>Statement</h3>R</div><div class=c><span>March 2025</span><h3>Statement</h3>W</div>"
            ),
            (
                "April 2025",
                "<div class=c>April 2025<br>Statement<br>R</div><div class=c>March 2025 (new)<br>Statement<br>W</div>"
            ),
            ("April 2025", "<div class=l>W<span>March 2025</span></div><div class=l>R<span>April 2025</span></div>"),
            ("April 2025", "<ul><li><b>May 2025</b><br>Statement W<li><b>April 2025</b><br>Statement R</ul>"),
            ("April 2025", "<ul><li>May 2025<br>Statement W<li>April 2025<br>Statement R</ul>"),
            ("April 2025", "<div>May 2025<br>Statement W</div><div>April 2025<br>Statement R</div>"),
            (
                "April 2025",
                "<div class=c><div class=t>April 2025</div><div class=d>2 May 2025</div>R</div><div class=c><div class=t>March 2025</div><div class=d>2 April 2025</div>W</div>"
            ),
            (
                "April 2025",
                "<div class=row><div class=col>April 2025</div><div class=col>2 May 2025</div><div class=col>R</div></div><div class=row><div class=col>March 2025</div><div class=col>2 April 2025</div><div class=col>W</div></div>"
            ),
            (
                "April 2025",
                "<table><caption>April 2025</caption><tr><td>Statement<td>R</table><table><caption>March 2025 (new)</caption><tr><td>Statement<td>W</table>"
            ),
            (
                "April 2025",
                "<table><tr><td rowspan=2>April 2025<td>Statement<tr><td>R<tr><td rowspan=2>March 2025<td>Statement<tr><td>W</table>"
            ),
            ("April", "<ul><li>May not yet<li>April R<li>March W</ul>"),
            (
                "April 2025",
                "<ul><li><span>April 2025</span> <span>01.04.2025</span> – <span>30.04.2025</span> R<li>March 2025 W</ul>"
            ),
        ])
    func similar(row: String, html: String) throws {
        #expect(
            try Self.found(html.replacing("W", with: Self.wrong).replacing("R", with: Self.right), in: row) == "right")
    }

    @Test(
        "where two documents have one month",
        arguments: [
            "<table><tr><td rowspan=2>April 2025<td>Current<td>W<tr><td>Savings<td>W<tr><td rowspan=2>March 2025<td>Current<td>W<tr><td>Savings<td>W</table>",
            "<div><div>Oct 2025</div><div>Oct 2025 (corrected)</div>W</div>",
        ])
    func several(html: String) throws {
        let html = html.replacing("W", with: Self.wrong)
        #expect(try Self.found(html, in: html.contains("Oct") ? "Oct 2025" : "April 2025") == nil)
    }
}
