import Foundation
import Markup
import Selectors
import Testing

@testable import HTMLEngine

@Suite("A page built to make searching slow")
struct HostilePageTests {
    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    private static func document(_ html: String) throws -> Document {
        try Document.parse(Array(html.utf8), contentType: "text/html; charset=utf-8", url: "https://bank.example/")
    }

    @Test(
        "is searched once for each argument of `:has()`", .timeLimit(.minutes(3)),
        arguments: [
            ("*:has(~ x)", times(60_000, "<i></i>")), (":has(x)", times(500, "<div>") + times(60_000, "<i></i>")),
            (":has(~ b ~ x)", times(1_000, "<b></b>")), (":has(> x)", times(60_000, "<i></i>")),
            (":has(+ x)", times(60_000, "<i></i>")),
        ])
    func has(selector: String, html: String) throws {
        #expect(try Self.document("<body>\(html)").select(css: selector).isEmpty)
    }

    @Test("a chain of descendants is not tried on every path to the root", .timeLimit(.minutes(3)))
    func descendants() throws {
        let page = try Self.document("<body>" + Self.times(490, "<div>"))
        #expect(try page.select(css: "b * * * * * * * * *").isEmpty)
        #expect(try page.select(css: "b ~ * * + * * ~ * * > * *").isEmpty)
        #expect(try page.select(css: "body * * * * * * * * div:empty").count == 1)
    }

    @Test(
        "ends with an error when a selector would visit its elements again and again", .timeLimit(.minutes(3)),
        arguments: [":has(~ b ~ x)", "b:has(~ b:has(~ b ~ x))", "i, b:not(:has(~ b ~ x))"])
    func exhausting(selector: String) throws {
        let page = try Self.document("<body>" + Self.times(60_000, "<b></b>"))
        let error = #expect(throws: LocatorError.self) { try page.elements(.css(selector)) }
        #expect(error?.message.contains("takes too long on this page") == true, "\(error?.message ?? "")")
    }

    @Test("counts positions that depend on positions")
    func nestedPositions() throws {
        let page = try Self.document("<ul><li id=a><li id=b class=x><li id=c class=x><li id=d class=x></ul>")
        let found = try page.select(css: "li:nth-child(2 of :nth-last-child(-n+2 of .x))")
        #expect(found.map { $0[attribute: "id"] } == ["d"])
        let positions = try page.select(css: "li:nth-child(2n of li:nth-child(n+2))")
        #expect(positions.map { $0[attribute: "id"] } == ["c"])
    }

    @Test(
        "ends with an error when its tables' spans make too many grid places",
        .timeLimit(.minutes(3)),
        arguments: [
            "<table><tr>" + times(30_000, "<td rowspan=0 colspan=1000>") + times(30_000, "<tr><td>"),
            "<table><tr>" + times(20_000, "<td rowspan=65534>") + times(20_000, "<tr><td>"),
            times(3_000, "<table><tr><td colspan=1000>x<tr><th>y</table>"),
        ])
    func spans(html: String) throws {
        let error = #expect(throws: LocatorError.self) { try Self.document(html).elements(.cell(header: "Sum")) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains("too many cells and spans") == true, "\(error?.message ?? "")")
    }

    @Test("a normal table may be long and have a header for each row", .timeLimit(.minutes(3)))
    func longTable() throws {
        let rows = Self.times(20_000, "<tr><th>x<td>1<td>2")
        let page = try Self.document("<table><thead><tr><th>Day<th>Sum<th>Balance</thead>\(rows)</table>")
        #expect(try page.elements(.cell(header: "Balance")).count == 20_000)
    }

    @Test("a table that has only headers is allowed", .timeLimit(.minutes(3)))
    func headersAlone() throws {
        let page = try Self.document("<table>\(Self.times(30_000, "<tr><th>Sum"))</table>")
        #expect(try page.elements(.cell(header: "Sum")).isEmpty)
    }

    private static let paragraph = times(
        12, "The bank tells its customers about prices, terms and the safety of their data. ")

    @Test(
        "entries are found among many long blocks", .timeLimit(.minutes(5)),
        arguments: [
            (
                times(800, "<div>\(paragraph)</div>")
                    + "<div>April 2025</div><div><a id=a href=/a>Download</a></div>", nil
            ),
            (
                times(200, "<div>May 2024</div><div>\(paragraph)</div><div><a href=/b>Download</a></div>")
                    + "<div>April 2025</div><div><a id=a href=/a>Download</a></div>", "a"
            ),
            (
                times(90, "<p>\(paragraph) April 2025</p>")
                    + times(800, "<p>\(paragraph) <a href=/b>Download</a></p>"), nil
            ),
            (times(90, "<p>April 2025</p>") + times(800, "<p>\(paragraph) <a href=/b>Download</a></p>"), nil),
        ])
    func longBlocks(html: String, id: String?) throws {
        let page = try Self.document("<title>Bank</title><body>\(html)")
        let found = try? page.element(.control("Download").within(.row("April 2025")))
        #expect(found?[attribute: "id"] == id)
    }

    @Test("a text that is longer than an entry's is read in part, and is never like another as a whole")
    func longText() {
        let (long, other) = (Self.times(200, "May 2024 "), Self.times(200, "Apr 2025 "))
        #expect(!EntryShape(long).hasForm(of: EntryShape(other)))
        #expect(!EntryShape(long).isLike(EntryShape(other)))
        #expect(EntryShape(long).beginsLike(EntryShape(other)))
        #expect(EntryShape(long).isLike(EntryShape("June 2025")))
    }

    @Test("an expression that is slow on each of many texts is an error", .timeLimit(.minutes(3)))
    func slowExpression() throws {
        let page = try Self.document(Self.times(2_000, "<p>\(Self.times(22, "a"))"))
        let error = #expect(throws: LocatorError.self) { try page.elements(.text(.regex("(a+)+b"))) }
        #expect(error?.message.contains("takes too long") == true, "\(error?.message ?? "")")
    }

    @Test("patterns of fields that take too long are ignored, however many there are", .timeLimit(.minutes(3)))
    func slowPatterns() throws {
        let field = "<input pattern='(a+)+b' value=\(Self.times(60, "a"))>"
        let page = try Self.document("<form>\(Self.times(1_000, field))</form>")
        let form = try #require(page.forms.first)
        try FormState().checkValidity(form, submitter: nil)
    }
}
