import Markup
import Selectors
import TestCases
import Testing

@testable import HTMLEngine

struct LocatingTests {
    private static func document(_ html: String) throws -> Document {
        try Document.parse(
            Array("<title>Accounts</title>\(html)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/accounts?token=1")
    }

    /// Returns the `id`s of the elements that a locator finds, in order.
    private static func ids(_ html: String, _ locator: Locator) throws -> String {
        try document(html).elements(locator).map { $0[attribute: "id"] ?? "<\($0.name)>" }.joined(separator: " ")
    }

    @Test(
        "finds a field by each of its names",
        arguments: LocatorCase.fields)
    func fields(known: LocatorCase) throws {
        #expect(try Self.ids(known.html, known.locator) == known.found)
    }

    @Test(
        "finds buttons and links by their names",
        arguments: LocatorCase.controls)
    func controls(known: LocatorCase) throws {
        #expect(try Self.ids(known.html, known.locator) == known.found)
    }

    @Test(
        "finds cells under and beside their headers, including spans",
        arguments: LocatorCase.cells)
    func cells(known: LocatorCase) throws {
        #expect(try Self.ids(known.html, known.locator) == known.found)
    }

    @Test("a cell that spans columns or rows is under each of their headers")
    func plainTables() throws {
        let html = """
            <table><tr><th>Date<th>Sum<tr><td id=a>1.1.<td id=b>5<tr><td colspan=2 id=c>none
            <tr><td rowspan=2 id=d>2.2.<td id=e>6<tr><td id=f>7</table>
            """
        #expect(try Self.ids(html, .cell(header: "Sum")) == "b c e f")
        #expect(try Self.ids(html, .cell(header: "Date")) == "a c d")
    }

    @Test("no cell extends beyond its row group, and the footer comes last")
    func rowGroups() throws {
        let html = """
            <table><thead><tr><th rowspan=9>Day<th>Sum</thead><tfoot><tr><td id=x>all<td id=y>9</tfoot>
            <tbody><tr><td rowspan=0 id=a>1.1.<td id=b>5<tr><td id=c>6</tbody><tbody><tr><td id=d>2.1.<td id=e>7</table>
            """
        #expect(try Self.ids(html, .cell(header: "Day")) == "x a d")
        #expect(try Self.ids(html, .cell(header: "Sum")) == "y b c e")
    }

    @Test("no match is an error with the nearest elements and their locators")
    func none() throws {
        let html = """
            <button>Log in</button><button>Register</button><a href=/>Log in help</a>
            <label>Account number <input id=n></label>
            """
        let error = #expect(throws: LocatorError.self) { try Self.document(html).element(.button("Login")) }
        #expect(error?.kind == LocatorError.Kind.none)
        #expect(error?.candidates.first?.locator == .button("Log in"))
        #expect(error?.message.contains("on “Accounts” https://bank.example/accounts?…") == true)
        #expect(error?.description.contains("token") == false)
        let field = #expect(throws: LocatorError.self) { try Self.document(html).element(.field("Acount numbr")) }
        #expect(field?.candidates.first?.locator == .field("Account number"))
        let cell = #expect(throws: LocatorError.self) {
            try Self.document(LocatorCase.table).element(.cell(header: "Ballance"))
        }
        #expect(cell?.candidates.first?.locator == .cell(header: "Balance"))
    }

    @Test("several matches are an error that lists each with a locator of its own")
    func several() throws {
        let html = """
            <table><tr><td>January<td><a href=/1>PDF</a><tr><td>February<td><a href=/2>PDF</a></table>
            <a href=/3 id=top>PDF</a>
            """
        let document = try Self.document(html)
        let error = #expect(throws: LocatorError.self) { try document.element(.link("PDF")) }
        let several = try #require(error)
        #expect(several.kind == .several)
        #expect(several.candidates.count == 3)
        for (candidate, reference) in zip(several.candidates, ["/1", "/2", "/3"]) {
            #expect(try document.element(try #require(candidate.locator))[attribute: "href"] == reference)
        }
        #expect(several.candidates[0].locator == .link("PDF").within(.row("January PDF")))
        #expect(several.candidates[2].locator == .css("#top"))
    }

    @Test(
        "an invalid locator is an error that says where",
        arguments: [
            (Locator.css("a["), "column"), (.xpath("//a["), "XPath"), (.text(.regex("(")), "regular expression"),
        ])
    func invalid(locator: Locator, words: String) throws {
        let error = #expect(throws: LocatorError.self) { try Self.document("<p>x").element(locator) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("an expression that takes too long is an error", .timeLimit(.minutes(3)))
    func endlessExpression() throws {
        let page = try Self.document("<p>\(String(repeating: "a", count: 60))")
        let error = #expect(throws: LocatorError.self) { try page.element(.text(.regex("(a+)+b"))) }
        #expect(error?.message.contains("too long") == true, "\(error?.message ?? "")")
    }

    @Test("finds nothing for a text with NULs, which no page has")
    func nulls() throws {
        let page = try Document.parse(
            [0, 0, 0, 0x5C, 0x33, 0, 0xF8, 0, 0, 0, 0, 0, 0, 0x0A, 0, 0, 0], contentType: "text/html; charset=utf-8",
            url: "https://bank.example")
        #expect(try page.elements(.text(.exact("\u{FFFD}\0\0\0\0\0\0"))).isEmpty)
    }

    @Test(
        "distinguishes a page that only scripts would fill from one that says little",
        arguments: [
            ("<div id=root></div><script src=app.js></script><noscript>Enable JavaScript</noscript>", true),
            ("<div id=root></div><script src=app.js></script>", true), ("<script>go()</script>", true),
            (
                "<noscript>You need JavaScript to run this app.</noscript><div id=app><p>Loading…</p></div><script></script>",
                true
            ),
            ("<p>Hello</p>", false), ("<p>Maintenance until noon.</p><script></script>", false), ("", false),
            ("<script></script><a href=/>Enter</a>", false),
            ("<div></div><script></script><form><input></form>", false),
        ])
    func javaScriptWall(html: String, isWall: Bool) throws {
        let document = try Self.document(html)
        #expect(JavaScriptWall.isShell(document) == isWall)
        let error = #expect(throws: LocatorError.self) { try document.element(.button("Sign in")) }
        #expect(error?.needsJavaScript == isWall)
        #expect(error?.message.contains("JSON requests") == isWall)
        #expect(error?.message.contains("“engine: browser”") == isWall)
    }
}
