import Markup
import Secrets
import Selectors
import Testing

@testable import HTMLEngine

struct FillingTests {
    private static func field(_ html: String) throws -> Element {
        let document = try Document.parse(Array("<form>\(html)</form>".utf8), contentType: "text/html; charset=utf-8")
        return try #require(try document.select(css: "[name=a]").first)
    }

    @Test(
        "refuses what a person could not fill, and says what to do",
        arguments: [
            ("<input name=a disabled>", "x", FormError.Code.notUsable, "disabled"),
            ("<fieldset disabled><input name=a></fieldset>", "x", .notUsable, "disabled"),
            ("<input name=a readonly>", "x", .notUsable, "read-only"),
            ("<input name=a hidden>", "x", .notUsable, "hidden"),
            ("<div style='display: none'><input name=a></div>", "x", .notUsable, "hidden"),
            ("<input name=a type=hidden>", "x", .wrongKind, "the page sets"),
            ("<input name=a type=file>", "x", .wrongKind, "upload files"),
            ("<select name=a><option>x</select>", "x", .wrongKind, "choose"),
            ("<input name=a type=checkbox>", "x", .wrongKind, "check"),
            ("<input name=a type=submit>", "x", .wrongKind, "press"), ("<div name=a></div>", "x", .wrongKind, "field"),
            ("<input name=a maxlength=4>", "12345", .tooLong, "at most 4"),
            ("<input name=a maxlength=1>", "😀", .tooLong, "has 2"),
            ("<textarea name=a maxlength=2>", "a\r\nb", .tooLong, "has 3"),
            ("<input name=a>", "x\ny", .invalidValue, "one line"),
            ("<input name=a type=number>", "1,5", .invalidValue, "12.50"),
            ("<input name=a type=date>", "31.01.2026", .invalidValue, "2026-01-31"),
            ("<input name=a type=month>", "2026-13", .invalidValue, "2026-01"),
            ("<input name=a type=time>", "24:00", .invalidValue, "09:30"),
            ("<input name=a type=datetime-local>", "2026-01-31", .invalidValue, "T09:30"),
            ("<input name=a type=color>", "red", .invalidValue, "#"),
        ])
    func refusals(html: String, value: String, code: FormError.Code, words: String) throws {
        let field = try Self.field(html)
        var state = FormState()
        for value in [Input.text(value), .secret(Secret(value))] {
            let error = #expect(throws: FormError.self) { try state.fill(field, with: value) }
            #expect(error?.code == code)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test(
        "accepts what a person could fill",
        arguments: [
            ("<input name=a maxlength=4>", "1234"), ("<textarea name=a maxlength=3>", "a\r\nb"),
            ("<input name=a type=number>", "-1.5e3"),
            ("<input name=a type=date>", "2026-01-31"), ("<input name=a type=week>", "2026-W05"),
            ("<input name=a type=date>", ""),
            ("<input name=a maxlength=-1>", "x"),
            ("<fieldset disabled><legend><input name=a></legend></fieldset>", "x"),
        ])
    func accepted(html: String, value: String) throws {
        let field = try Self.field(html)
        var state = FormState()
        try state.fill(field, with: .text(value))
        #expect(state.value(of: field).revealed == value)
    }

    @Test("the error for a missing option lists the existing ones")
    func options() throws {
        let list = try Self.field(
            "<select name=a><option value=1>January<option value=2 label=February>F<option disabled>March<option>May<option>May 2</select>"
        )
        var state = FormState()
        for option in ["jan", "2", "FEBRUARY", "May"] as [TextMatch] {
            try state.choose(option, in: list, locator: .css("a"))
        }
        #expect(state.selectedOptions(of: list).map(\.optionLabel) == ["May"])
        let missing = #expect(throws: FormError.self) { try state.choose("April", in: list, locator: .css("a")) }
        #expect(missing?.code == .noSuchOption)
        #expect(missing?.message.contains("“January”, “February”, “March”, “May”") == true)
        #expect(throws: FormError.self) { try state.choose("March", in: list, locator: .css("a")) }
        #expect(throws: FormError.self) { try state.choose("a", in: list, locator: .css("a")) }
    }

    @Test("a number is the option that writes it with zeros before it")
    func zeros() throws {
        let list = try Self.field("<select name=a><option>01<option>03<option>13</select>")
        var state = FormState()
        try state.choose("3", in: list, locator: .css("a"))
        #expect(state.selectedOptions(of: list).map(\.optionLabel) == ["03"])
        #expect(throws: FormError.self) { try state.choose("5", in: list, locator: .css("a")) }
    }

    @Test("several chosen options are submitted in the list's order")
    func multiple() throws {
        let list = try Self.field("<select name=a multiple><option>x<option>y<option selected>z</select>")
        var state = FormState()
        try state.choose("y", in: list, locator: .css("a"))
        #expect(state.selectedOptions(of: list).map(\.optionLabel) == ["y", "z"])
    }

    @Test("radio buttons are chosen by label within their group; checking one unchecks the others")
    func radios() throws {
        let html = """
            <fieldset><legend>Account</legend><label><input type=radio name=a value=s checked>Savings</label>
            <label><input type=radio name=a value=c>Current</label></fieldset><label><input type=radio name=b>Current</label>
            """
        let first = try Self.field(html)
        var state = FormState()
        try state.choose("current", in: first, locator: .css("a"))
        #expect(first.radioGroup.map(state.isChecked) == [false, true])
        let group = try #require(first.ancestors.first { $0.name == "fieldset" })
        try state.choose("Savings", in: group, locator: .css("a"))
        #expect(first.radioGroup.map(state.isChecked) == [true, false])
        #expect(throws: FormError.self) { try state.choose("Other", in: group, locator: .css("a")) }
        #expect(throws: FormError.self) { try state.check(first, false) }
        state.reset(try #require(first.formOwner))
        #expect(state.isChecked(first))
    }
}
