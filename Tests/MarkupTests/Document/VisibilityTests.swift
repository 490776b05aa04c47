import Testing

@testable import Markup

@Suite("What a person sees of a page")
struct VisibilityTests {
    private static func element(_ html: String) throws -> Element {
        let document = try Document.parse(
            Array("<body>\(html)".utf8), contentType: "text/html; charset=utf-8", url: "https://bank.example/")
        return try #require(document.element(withID: "x"))
    }

    @Test(
        "is an element with a text, a control, a picture or a frame in it, and no empty one",
        arguments: [
            ("<span id=x class=error></span>", false), ("<div id=x role=alert> &nbsp;&#8203; </div>", false),
            ("<ul id=x><li></li><br></ul>", false), ("<p id=x>Wrong password</p>", true),
            ("<p id=x hidden>Wrong password</p>", false), ("<p id=x style='display: none'>Wrong password</p>", false),
            ("<div style=visibility:hidden><p id=x>Wrong</p></div>", false), ("<p id=x><b hidden>Wrong</b></p>", false),
            ("<input id=x>", true), ("<div id=x><input></div>", true), ("<div id=x><input type=hidden></div>", false),
            ("<p id=x><img src=a width=1 height=1></p>", false),
            ("<div id=x><svg width=0 height=0></svg></div>", false),
            ("<p id=x><img src=a></p>", true), ("<p id=x><img src=a hidden></p>", false),
            ("<iframe id=x></iframe>", true),
            ("<iframe id=x hidden></iframe>", false), ("<div id=x><canvas></canvas></div>", true),
            ("<a id=x href=/out></a>", true), ("<a id=x></a>", false), ("<i id=x role=img></i>", true),
            ("<dialog><p id=x>Closed</p></dialog>", false), ("<dialog open><p id=x>Open</p></dialog>", true),
            ("<details><summary>More</summary><p id=x>Folded</p></details>", false),
            ("<details><summary id=x>More</summary><p>Folded</p></details>", true),
            ("<details open><summary>More</summary><p id=x>Unfolded</p></details>", true),
            ("<div inert><p id=x>Behind</p></div>", true), ("<div id=x><details><p>Folded</p></details></div>", false),
            // Who names these can only mean that they are there.
            ("<meta id=x name=signed-in>", true), ("<input id=x type=hidden>", true),
        ])
    func shown(html: String, isShown: Bool) throws {
        #expect(try Self.element(html).isShown == isShown)
    }

    @Test(
        "is not the text of closed dialogs and folded details",
        arguments: [
            ("a<dialog>b</dialog>c", "ac"), ("a<dialog open>b</dialog>c", "a b c"),
            ("<details>a<summary>b</summary>c<p>d</details>e", "b e"),
            ("<details open><summary>a</summary>b</details>", "a b"),
            ("<details><summary>a</summary><summary>b</summary></details>", "a"), ("<details><p>a</details>b", "b"),
        ])
    func text(html: String, text: String) throws {
        #expect(try Self.element("<div id=x>\(html)</div>").text == text)
    }
}
