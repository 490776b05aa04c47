import Markup
import Testing

@testable import HTMLEngine

/// A value that a field could never hold, in the words for the person who gave it.
@Suite("The rule of a field that a value breaks")
struct FieldRuleTests {
    static let values: [(field: String, value: String, rule: String?)] = [
        ("<input maxlength=6>", "123456", nil),
        ("<input maxlength=6>", "1234567", "must have at most 6 characters"),
        ("<input maxlength=1>", "12", "must have at most 1 character"),
        ("<input maxlength=-1>", "12", nil),
        ("<input maxlength=6>", "", nil),
        // Two UTF-16 units each.
        ("<input maxlength=3>", "👍👍", "must have at most 3 characters"),
        ("<input type=number maxlength=2>", "123", nil),
        ("<input type=number>", "12a", "must be a number such as 12 or 12.50"),
        ("<input type=date>", "soon", "must be a date such as 2026-01-31"),
        ("<form><input minlength=6></form>", "12345", "must have at least 6 characters"),
        ("<input>", "one\ntwo", "must be on one line"),
        ("<textarea></textarea>", "one\ntwo", nil),
        ("<textarea pattern='[0-9]{6}'></textarea>", "one", nil),
        ("<form><input pattern='[0-9]{6}'></form>", "12345", "must have 6 digits"),
        ("<form><input pattern='[0-9]{6}'></form>", "1234567", "must have 6 digits"),
        ("<form><input pattern='[0-9]{6}'></form>", "123456", nil),
        (#"<form><input pattern='^\d{4,8}$'></form>"#, "123", "must have 4 to 8 digits"),
        (#"<form><input pattern='\d{1}'></form>"#, "12", "must be one digit"),
        (#"<form><input pattern='\d+'></form>"#, "12a", "must have digits only"),
        (#"<form><input pattern='\d{8,4}'></form>"#, "123", nil),
        ("<form><input pattern='[A-Z]{6}'></form>", "abc", "must have another format"),
        // An invalid pattern is ignored (HTML Standard, section 4.10.5.3.6).
        ("<form><input pattern='['></form>", "abc", nil),
        ("<input pattern='[0-9]{6}'>", "12345", nil),
        ("<input minlength=6>", "12345", nil),
        ("<form><input pattern='[0-9]{6}'><button formnovalidate>Go</button></form>", "12345", nil),
        ("<form><input pattern='[0-9]{6}'><button>Go</button></form>", "12345", "must have 6 digits"),
        ("<form novalidate><input pattern='[0-9]{6}' minlength=9></form>", "abc", nil),
        ("<form novalidate><input maxlength=6></form>", "1234567", "must have at most 6 characters"),
        ("<select><option>a</select>", "abc", nil),
        ("<input type=checkbox>", "abc", nil),
    ]

    @Test("is told as the end of a sentence, and is nil for a value that fits", arguments: values)
    func rule(_ field: String, _ value: String, _ rule: String?) throws {
        let document = try Document.parse(Array(field.utf8), contentType: "text/html; charset=utf-8")
        let element = try document.element(.css("input, select, textarea"))
        #expect(FormState.rule(of: element, brokenBy: value)?.description == rule)
    }

    @Test(
        "is told in the same words by the step that types the value, or sends the form with it",
        arguments: values.filter { $0.rule != nil })
    func sameWords(_ field: String, _ value: String, _ rule: String?) throws {
        let document = try Document.parse(Array(field.utf8), contentType: "text/html; charset=utf-8")
        let element = try document.element(.css("input"))
        let error = try #require(throws: FormError.self) {
            var state = FormState()
            try state.fill(element, with: .text(value))
            try state.checkValidity(try #require(element.formOwner), submitter: nil)
        }
        #expect(error.message.contains(" \(rule ?? "")"), "\(error.message)")
    }
}
