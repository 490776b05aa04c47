import Testing

@testable import Markup

struct SelectorMatchTests {
    private static let page = #"""
        <main id=m class="page wide"><h1 id=h lang=en-GB>T</h1><ul id=u>\#
        <li id=l1 class=a>1<li id=l2 class="b a">2<li id=l3>3<li id=l4 class=a>4<li id=l5 class="a c">5</ul>\#
        <p id=p1>x</p><div id=d1><p id=p2></p><p id=p3><b id=b1>y</b></p><span id=s1 class=A></span></div>\#
        <p id=p4 data-x="a-b c" title="Été">z</p><form id=f><fieldset id=fs disabled><legend id=lg><input id=i1>\#
        </legend><input id=i2 type=TEXT required></fieldset><input id=i3 type=checkbox checked><select id=se>\#
        <option id=o1><option id=o2 selected></select><textarea id=ta readonly></textarea>\#
        <button id=bt disabled>B</button></form><a id=a1 href=/x>1</a><a id=a2>2</a><p id=dup>1</p>\#
        <p id=dup>2</p></main>
        """#

    private static func ids(_ selector: String) throws -> String {
        let document = try Document.parse(
            Array("<!doctype html><meta charset=utf-8>\(page)".utf8), contentType: "text/html; charset=utf-8")
        return try document.select(css: selector).compactMap { $0[attribute: "id"] }.joined(separator: " ")
    }

    @Test(
        "selects what Chromium 156 selects, in document order",
        arguments: [
            ("li:nth-child(odd)", "l1 l3 l5"),
            ("li:nth-child(2n+1 of .a)", "l1 l4"),
            ("li:nth-last-child(2)", "l4"),
            ("li:nth-last-child(-n+2 of .a)", "l4 l5"),
            ("li:nth-child(n+2):nth-last-child(n+2)", "l2 l3 l4"),
            ("p:nth-of-type(2)", "p3 p4"),
            ("p:nth-last-of-type(2)", "p2 dup"),
            ("p:first-of-type", "p1 p2"),
            ("p:last-of-type", "p3 dup"),
            ("p:only-of-type", ""),
            ("b:only-child", "b1"),
            ("li:first-child", "l1"),
            ("li:last-child", "l5"),
            ("li:nth-child(3)", "l3"),
            ("*:nth-child(4)", "l4 d1 ta"),
            ("li:not(.a)", "l3"),
            ("li:not(.a, .c)", "l3"),
            ("li:is(.b, .c)", "l2 l5"),
            (":where(li.c)", "l5"),
            ("ul:has(> .c)", "u"),
            ("div:has(b)", "d1"),
            ("p:has(+ form)", "p4"),
            ("h1:has(~ form)", "h"),
            ("main:has(> div > p > b)", "m"),
            (":has(> b)", "p3"),
            ("#dup", "dup dup"),
            ("#dup + #dup", "dup"),
            ("p ~ p", "p3 p4 dup dup"),
            ("p + p", "p3 dup"),
            ("div p", "p2 p3"),
            ("main > p", "p1 p4 dup dup"),
            ("main > * > p", "p2 p3"),
            ("li.a.b", "l2"),
            (".a.c, .b, #h", "h l2 l5"),
            ("[data-x]", "p4"),
            ("[data-x='a-b c']", "p4"),
            ("[data-x~=c]", "p4"),
            ("[data-x|=a]", "p4"),
            ("[data-x^=a-]", "p4"),
            ("[data-x$=c]", "p4"),
            ("[data-x*='b c']", "p4"),
            ("[data-x*='']", ""),
            ("[class=A]", "s1"),
            ("[class=A i]", "l1 l4 s1"),
            ("[type=text]", "i2"),
            (":lang(en)", "h"),
            (":lang(fr)", ""),
            (":disabled", "fs i2 bt"),
            ("input:enabled", "i1 i3"),
            ("select:enabled", "se"),
            (":required", "i2"),
            ("input:optional", "i1 i3"),
            (":checked", "i3 o2"),
            (":read-only:not(main, main *)", ""),
            ("textarea:read-only", "ta"),
            ("input:read-write", "i1"),
            (":empty", "p2 s1 i1 i2 i3 o1 o2 ta"),
            ("a:link", "a1"),
            ("a:any-link", "a1"),
            (":root > body > main", "m"),
            ("html :root", ""),
            ("li:nth-child(0n+5)", "l5"),
            ("li:nth-child(-n)", ""),
            ("xyz", ""),
            ("li xyz", ""),
            ("a[href]:not(:has(*))", "a1"),
            ("LI.b", "l2"),
            ("ul li:nth-child(2) ~ li:not(:last-child)", "l3 l4"),
            ("form :is(input, button):disabled", "i2 bt"),
            (".wide h1, .wide ul > .b", "h l2"),
        ])
    func selection(selector: String, expected: String) throws {
        #expect(try Self.ids(selector) == expected)
    }

    @Test("`s` makes case count, which Chromium does not support yet")
    func caseSensitivity() throws {
        #expect(try Self.ids("[type=text s]") == "")
        #expect(try Self.ids("[type=TEXT s]") == "i2")
    }

    @Test("selecting inside an element finds elements below it, and `:scope` is that element")
    func scope() throws {
        let document = try Document.parse(Array("<!doctype html>\(Self.page)".utf8))
        let form = try #require(document.element(withID: "f"))
        func ids(_ selector: String) throws -> [String?] {
            try document.select(css: selector, in: form).map { $0[attribute: "id"] }
        }
        #expect(try ids("input") == ["i1", "i2", "i3"])
        #expect(try ids(":scope > input") == ["i3"])
        #expect(try ids("main input:nth-child(2)") == ["i2", "i3"])
        #expect(try ids("form") == [])
    }
}
