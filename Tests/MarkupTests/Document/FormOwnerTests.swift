import Testing

@testable import Markup

struct FormOwnerTests {
    /// Each control's `form` in Chromium 156, in document order.
    @Test(
        "a control belongs to the form that a browser associates it with, wherever the tree puts them",
        arguments: [
            ("<table><form id=f><tr><td><input name=a></td></tr></form></table><input name=b>", "a:f b:-"),
            ("<table><tr><form id=f><td><input name=a></td></form></tr></table><input name=b>", "a:f b:-"),
            ("<table><form id=f><tr><td><input name=a></table><input name=b>", "a:f b:f"),
            ("<table><form id=f></form><tr><td><input name=a></table><input name=b>", "a:- b:-"),
            ("<table><form id=f><tr><td><input name=a></form><td><input name=b></table>", "a:f b:-"),
            (
                "<table><tr><td><form id=f></td><td><input name=a></td></tr></table><input name=b></form><input name=c>",
                "a:f b:f c:-"
            ),
            (
                "<table><form id=f><tr><td><form id=g><input name=a></form><input name=b></td></tr></form></table><input name=c>",
                "a:f b:- c:-"
            ),
            ("<div><form id=f></div><input name=a></form><input name=b>", "a:f b:-"),
            ("<div><form id=f></div><form id=g><input name=a></form><input name=b>", "a:f b:-"),
            ("<form id=f><div></form><input name=a></div><input name=b>", "a:f b:-"),
            ("<form id=f><form id=g><input name=a></form><input name=b></form>", "a:f b:-"),
            (
                "<table><form id=f><tr><td><!--</form>--><input name=a><textarea name=b></form></textarea><input name=c title='</form>'><input name=d></form><input name=e></table>",
                "a:f b:f c:f d:f e:-"
            ),
            ("<table><form id=f><tr><td><script>'</form>'</script><input name=a></form></table>", "a:f"),
            (
                "<table><form id=f><tr><td><input name=a form=g><input name=b form=none></table><form id=g></form>",
                "a:- b:-"
            ),
            ("<table><form id=f><tr><td></FORM\t><input name=a></table>", "a:-"),
            ("<table><form id=f><tr><td></formx><input name=a></table>", "a:f"),
            ("<table><form id=f><tr><td><svg><![CDATA[</form>]]></svg><input name=a></table>", "a:f"),
            ("<p><form id=f><p></form><input name=a>", "a:-"),
            ("<table><form id=f><tr><td><template></form><input name=t></template><input name=a></table>", "a:f"),
            (
                "<table><form id=f><input type=hidden name=a><input name=b><tr><td><select name=c></select></table><button name=d></button>",
                "b:f a:f c:f d:f"
            ),
        ])
    func owners(html: String, expected: String) throws {
        let document = try Document.parse(
            Array("<!doctype html>\(html)".utf8), contentType: "text/html; charset=utf-8")
        let owners = document.controls.map { control in
            "\(control[attribute: "name"] ?? ""):\(control.formOwner?[attribute: "id"] ?? "-")"
        }
        #expect(owners.joined(separator: " ") == expected)
    }
}
