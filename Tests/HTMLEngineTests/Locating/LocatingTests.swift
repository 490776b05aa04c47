import DOM
import Selectors
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
        arguments: [
            "<label for=x>User name</label><input id=x>", "<label>User name <input id=x></label>",
            "<label>User<br>name: <input id=x></label>", "<label for=x><b>User</b>&nbsp;name *</label><input id=x>",
            "<input id=x aria-label='User name'>",
            "<span id=a>User</span><i id=b hidden>name</i><b id=c>name</b><input id=x aria-labelledby='a c'>",
            "<input id=x placeholder='User name'>", "<input id=x title='User name'>",
            "<label>Old<input id=x placeholder='user NAME'></label>",
            "<label for=x>User name</label><textarea id=x>text</textarea>",
            "<label>User name <select id=x><option>User name</select></label>",
            "<label for=x>User</label><label for=x>User name</label><input id=x>",
            "<label>User name</label><label for=x>User name</label><input id=x><input id=y type=hidden>",
            "<label for=x><img alt='User name'></label><input id=x>",
            "<input id=x type=checkbox><label for=x>User name</label>",
            "<fieldset id=x><legend>User name</legend><input type=radio></fieldset>",
            "<label for=x>User name</label><input id=x><label for=y>User name (old)</label><input id=y>",
            "<label for=y hidden>User name</label><input id=y hidden><label for=x>User name</label><input id=x>",
        ])
    func fields(html: String) throws {
        #expect(try Self.ids(html, .field("user name")) == "x")
    }

    @Test(
        "finds buttons and links by their names",
        arguments: [
            ("<button id=x>Sign <b>in</b></button>", Locator.button("sign in")),
            ("<input id=x type=submit value='Sign in'>", .button("Sign in")),
            ("<input id=x type=image alt='Sign in'>", .button("Sign in")),
            ("<input id=x type=button value='Sign in'>", .button("Sign in")),
            ("<input id=x type=submit>", .button("Submit")), ("<input id=x type=reset>", .button("Reset")),
            ("<button id=x title='Sign in'><i></i></button>", .button("Sign in")),
            ("<button id=x><img alt='Sign in'></button>", .button("Sign in")),
            ("<div id=x role=button>Sign in</div>", .button("Sign in")),
            ("<a id=x role=button href=/>Sign in</a>", .button("Sign in")),
            ("<a id=x href=/>Sign in</a><a id=y>Sign in</a>", .link("Sign in")),
            ("<map><area id=x href=/ alt='Sign in'></map>", .link("Sign in")),
            ("<a id=x href=/><svg aria-label='Sign in'></svg></a>", .link("Sign in")),
            ("<a id=x href=/ aria-label='Sign in'>→</a>", .link("Sign in")),
            ("<a id=x href=/>Sign in</a>", .control("Sign in")),
            ("<a id=y href=/>Sign in now</a><button id=x>Sign in</button>", .control("Sign in")),
            ("<button id=y style='display:none'>Sign in</button><button id=x>Sign in</button>", .button("Sign in")),
            ("<button id=y>Sign in</button><button id=x>Sign in</button>", .button("Sign in").nth(2)),
            (
                "<p><button id=y>Go</button></p><p>Here <button id=x>Go</button></p>",
                .button("Go").within(.css("p:last-of-type"))
            ),
            ("<a id=y href=/>PDF</a><a id=x href=/>PDF 2026</a>", .link("PDF").containing("2026")),
            ("<a id=x href=/>Sign in</a>", .link(.regex("^Sign"))),
            ("<a id=y href=/>sign in</a><a id=x href=/>Sign in</a>", .link(.exact("Sign in"))),
            ("<h2 id=x>Your  accounts</h2><p>Your accounts</p>", .heading("your accounts")),
            ("<div><p id=x>Welcome <b>Jane</b></p></div>", .text("welcome jane")),
            ("<p id=x>\u{FFFD}\0\0a</p>", .text("\u{FFFD}a")),
            ("<p id=x>caf\u{E9}</p><p>cafe</p>", .text(.exact("cafe\u{301}"))),
            ("<ul><li id=x>January 2026</li><li>January 20261</li></ul>", .row("January 2026")),
            ("<table><tr id=x><td>Jan<td>1<tr id=y><td>Jan corrected<td>2</table>", .row("jan")),
            ("<table><tr><td><table><tr id=x><td>Jan</table></table>", .row("jan")), ("<p id=x>a</p>", .xpath("//p")),
            ("<table><tr id=x><td hidden>Jan<td>1<tr><td>Feb<td>2</table>", .row("jan")),
            ("<table><tr id=x><td style='display: none'>Jan<td>1<tr><td>Feb<td>2</table>", .row("jan")),
            ("<table><tr><td>Jan total<td>1<tr id=x><td>Total<td>2</table>", .row("Total:")),
            ("<table><tr id=x><td>ÄRGER €<td>1<tr><td>Ärger €2</table>", .row("Ärger €")),
            ("<table><tr id=x><td>A\u{308}rger<td>1<tr><td>b</table>", .row("Ärger")),
            ("<button id=y>Gone</button><button id=x>Go&#x37E;</button>", .button("Go;")),
            ("<button id=y>Loc</button><button id=x>Un\u{212A}ey</button>", .button("key")),
            ("<button id=y>Bil</button><button id=x>\u{130}bil</button>", .button("i\u{307}bil")),
            ("<a id=x href=/>x</a><a href=/>y</a>", .link("X")),
            ("<a href=/>en</a><a id=x href=/>The END</a>", .link("end")),
            ("<body><p>a</p><body role=button id=x aria-label=Go>", .button("Go")),
            ("<p><a role=button href=/ id=x>Go<p>on</a>", .button("on")),
            (
                "<div hidden><p><button>Go</button></p><button>Go</button></div><div><button id=x>Go</button></div>",
                .button("Go")
            ),
        ])
    func controls(html: String, locator: Locator) throws {
        #expect(try Self.ids(html, locator) == "x")
    }

    private static let table = """
        <table><caption>Accounts</caption>
        <thead><tr><th rowspan=2>Name<th colspan=2>Amounts</tr><tr><th>Balance<th>Limit</tr></thead>
        <tbody><tr id=r1><th scope=row>Savings<td id=a>1<td id=b>2</tr>
        <tr id=r2><th scope=row>Current<td id=c>3<td id=d>4</tr></table>
        """

    @Test(
        "finds cells under and beside their headers, including spans",
        arguments: [
            (Locator.cell(header: "Balance").within(.row("Current")), "c"),
            (.cell(header: "Limit").within(.row("Savings")), "b"), (.cell(header: "Balance"), "a c"),
            (.cell(header: "Amounts").within(.css("#r1")), "a b"), (.cell(header: "Savings"), "a b"),
            (.cell(header: "Balance").nth(2), "c"), (.cell(header: "Limit").containing("4"), "d"),
            (.cell(header: "Nothing"), ""),
        ])
    func cells(locator: Locator, expected: String) throws {
        #expect(try Self.ids(Self.table, locator) == expected)
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
            try Self.document(Self.table).element(.cell(header: "Ballance"))
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

    @Test("an expression that takes too long is an error", .timeLimit(.minutes(1)))
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
    }
}
