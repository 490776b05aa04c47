import Markup
import Testing

@testable import HTMLEngine

@Suite("A page's outline")
struct PageOutlineTests {
    private func outline(_ body: String) throws -> PageOutline {
        let document = try Document.parse(
            Array("<!doctype html>\(body)".utf8), contentType: "text/html; charset=utf-8",
            url: "https://bank.example/a/b?c=1")
        return PageOutline(document)
    }

    @Test("names fields by their labels, with the values that they submit unchanged")
    func fields() throws {
        let form = try #require(
            try outline(
                """
                <form method=post action=../login><input type=hidden name=t value=1><label>User <input name=u value=kim></label>
                <label>PIN <input type=password name=p></label><label>Year <select name=y><option>2025<option selected value=26>
                2026</select></label><label><input type=checkbox name=c> Stay</label>
                <label><input type=checkbox name=d checked> Safe</label><button name=go value=1>Go on</button>
                <button type=button>Help</button></form>
                """
            ).forms.first)
        #expect(form.method == "POST")
        #expect(form.action == "https://bank.example/login")
        #expect(form.fields.map(\.name) == ["t", "u", "p", "y", "c", "d"])
        #expect(form.fields.map(\.label) == ["", "User", "PIN", "Year", "Stay", "Safe"])
        #expect(form.fields.map(\.type) == ["hidden", "text", "password", "select", "checkbox", "checkbox"])
        #expect(form.fields.map(\.value) == ["1", "kim", "", "26", nil, "on"])
        #expect(form.fields.map(\.isHidden) == [true, false, false, false, false, false])
        #expect(
            form.field(named: "y")?.options == [.init(label: "2025", value: "2025"), .init(label: "2026", value: "26")])
        #expect(form.buttons.map(\.label) == ["Go on"])
    }

    @Test("knows where links lead, and which row they are in")
    func links() throws {
        let links = try outline(
            """
            <base href=/docs/><a href=x.pdf#page=2>One</a><a href="javascript:go()">Two</a><a>Three</a>
            <a href=y hidden>Four</a><table><tr><td>May<td><a href=/s>PDF</a></table>
            """
        ).links
        #expect(links.map(\.label) == ["One", "PDF"])
        #expect(links.map(\.url) == ["https://bank.example/docs/x.pdf", "https://bank.example/s"])
        #expect(links.map { $0.row?.text } == [nil, "May PDF"])
    }

    @Test("a form without an action submits to the page's URL, by GET unless it says otherwise")
    func bare() throws {
        let form = try #require(try outline("<form><input name=q></form>").forms.first)
        #expect(form.method == "GET")
        #expect(form.action == "https://bank.example/a/b?c=1")
    }

    @Test("texts and elements inside an element come in document order")
    func nodes() throws {
        let document = try Document.parse(Array("<p>a<b>b</b><!-- c -->d</p>".utf8))
        let words = try document.element(.css("p")).nodes.map { node in
            switch node {
            case .text(let text): text
            case .element(let element): "<\(element.name)>"
            }
        }
        #expect(words == ["a", "<b>", "d"])
    }
}
