import Selectors

/// A page, a locator, and the `id`s of the elements that it finds: the same on every engine.
package struct LocatorCase: Sendable, CustomStringConvertible {
    package let html: String
    package let locator: Locator
    /// The `id`s in document order, with spaces between.
    package let found: String

    package var description: String { "\(locator) in \(html)" }

    package init(_ html: String, _ locator: Locator, finds found: String) {
        self.html = html
        self.locator = locator
        self.found = found
    }

    /// Fields by each of their names.
    package static let fields = [
        "<label for=x>User name</label><input id=x>", "<label>User name <input id=x></label>",
        "<label>User<br>name: <input id=x></label>", "<label for=x><b>User</b>&nbsp;name *</label><input id=x>",
        "<input id=x aria-label='User name'>",
        "<span id=a>User</span><i id=b hidden>name</i><b id=c>name</b><input id=x aria-labelledby='a c'>",
        "<span id=a hidden>User <b hidden>name</b></span><input id=x aria-labelledby=a>",
        "<div hidden><i id=a>User <b style='display: none'>name</b></i></div><input id=x aria-labelledby=a>",
        "<span id=a>User name <i style='visibility: collapse'>or number</i></span><input id=x aria-labelledby=a>",
        "<span id=a>User name</span><input id=x aria-labeledby=a>",
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
    ].map { LocatorCase($0, .field("user name"), finds: "x") }

    /// Buttons, links, headings, texts and rows by their names.
    package static let controls: [LocatorCase] = [
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
    ].map { LocatorCase($0, $1, finds: "x") }

    package static let table = """
        <table><caption>Accounts</caption>
        <thead><tr><th rowspan=2>Name<th colspan=2>Amounts</tr><tr><th>Balance<th>Limit</tr></thead>
        <tbody><tr id=r1><th scope=row>Savings<td id=a>1<td id=b>2</tr>
        <tr id=r2><th scope=row>Current<td id=c>3<td id=d>4</tr></table>
        """

    /// Cells under and beside their headers, including spans.
    package static let cells = [
        (Locator.cell(header: "Balance").within(.row("Current")), "c"),
        (.cell(header: "Limit").within(.row("Savings")), "b"), (.cell(header: "Balance"), "a c"),
        (.cell(header: "Amounts").within(.css("#r1")), "a b"), (.cell(header: "Savings"), "a b"),
        (.cell(header: "Balance").nth(2), "c"), (.cell(header: "Limit").containing("4"), "d"),
        (.cell(header: "Nothing"), ""),
    ].map { LocatorCase(table, $0, finds: $1) }

    /// Locators that fit nothing, several things, or cannot be read.
    package static let failing: [(html: String, locator: Locator)] = [
        ("<button>Log in</button><button>Register</button><a href=/>Log in help</a>", .button("Login")),
        ("<label>Account number <input id=n></label>", .field("Acount numbr")),
        (table, .cell(header: "Ballance")),
        (
            "<table><tr><td>January<td><a href=/1>PDF</a><tr><td>February<td><a href=/2>PDF</a></table>"
                + "<a href=/3 id=top>PDF</a>", .link("PDF")
        ),
        ("<p>x", .css("a[")), ("<p>x", .xpath("//a[")), ("<p>x", .text(.regex("("))),
        ("<button>Go</button>", .button("Go").within(.row("Nothing"))),
        ("<iframe name=inner></iframe>", .field("Code")),
    ]
}
