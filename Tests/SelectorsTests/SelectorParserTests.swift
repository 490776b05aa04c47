import Selectors
import Testing

@Suite("Parsing selectors")
struct SelectorParserTests {
    @Test(
        "parses what the standard defines",
        arguments: [
            "*", "div", "#a.b", "a[href]", "a[href^='/x' i]", "a[href=\"x\" s]", "ul > li + li ~ li", "a, b ,c",
            ":is(a, b) c", ":not(.x, .y)", ":where(a):has(> b, + c)", "li:nth-child(2n+1 of .x)",
            ":nth-last-of-type(-n+3)",
            ":lang(en, 'de')", "input:checked:not(:disabled)", "a\\:b", "#\\31 23", "*|a", "|a", "svg|a", "[*|href]",
            ":NTH-CHILD(ODD)", "a:any-link", ":root:scope", "ä#ö.ü",
        ])
    func reads(selector: String) {
        #expect(throws: Never.self) { try SelectorList(parsing: selector) }
    }

    @Test(
        "says what is wrong, and at which character",
        arguments: [
            ("", 1, "missing"), ("a,", 3, "missing"), ("a >", 4, "missing"), ("a[", 3, "attribute's name"),
            ("a[b", 4, "“=” or “]”"), ("a[b=", 5, "a value"), ("a[b='c]", 5, "not closed"), ("a:hovr", 2, "not known"),
            ("a:hover", 2, "person at a screen"), ("a::before", 3, "pseudo-elements"),
            (":nth-child(x)", 12, "not a position"),
            ("a b)", 4, "not expected"), ("#", 2, "an id is missing"), (".1", 2, "a class"), ("a:not(", 7, "missing"),
            ("a & b", 3, "“&”"),
        ])
    func places(selector: String, column: Int, message: String) throws {
        let error = try #require(throws: SelectorError.self) { try SelectorList(parsing: selector) }
        #expect(error.message.contains(message), "\(error)")
        #expect(error.column == column, "\(error)")
    }

    @Test("limits nesting")
    func depth() {
        let deep = String(repeating: ":not(", count: 5000) + "a" + String(repeating: ")", count: 5000)
        #expect(throws: SelectorError.self) { try SelectorList(parsing: deep) }
    }

    @Test("a locator describes what it looks for")
    func words() {
        let locator = Locator.button("Show").within(.row("January")).nth(2)
        #expect(locator.description == "button “Show” number 2 in row “January”")
        #expect(Locator.css("#a").containing(.exact("B")).description == "css “#a” containing exactly “B”")
    }
}
