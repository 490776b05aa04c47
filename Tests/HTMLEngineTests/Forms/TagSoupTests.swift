import Markup
import Selectors
import Testing
import WebURL

@testable import HTMLEngine

/// Builds random pages from parts of forms, tables and labels. On every page, each form has an entry list and each
/// question has an answer or an error.
struct TagSoupTests {
    private static let pieces = [
        "<form>", "</form>", "<form id=f action='?x' method=post>", "<table>", "<tr>", "<td colspan=2>",
        "<th rowspan=0>", "</table>",
        "<input name=a form=f required>", "<input type=radio name=r checked>", "<input type=image name=i>",
        "<input type=file name=u>",
        "<select name=s multiple>", "<select name=t>", "<optgroup disabled>", "<option selected value=\u{0}>",
        "</select>", "<textarea name=x>\n",
        "</textarea>", "<fieldset disabled>", "<legend>", "</fieldset>", "<label for=q>Name", "</label>",
        "<input id=q dirname=d dir=auto>",
        "<button>", "</button>", "<button type=reset name=b>", "<template>", "</template>", "<datalist>",
        "<a href=javascript:>", "<iframe srcdoc='<p>'>",
        "text", "é\u{301}", "&#0;", "&nbsp;", "<!--", "-->", "<base href='//['>",
        "<meta http-equiv=refresh content='0;url=http://'>", "<svg><title>",
    ]

    @Test("no page crashes the engine", arguments: 0..<40)
    func anyPage(seed: UInt64) throws {
        var generator = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        for _ in 0..<20 {
            let html = (0..<60).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            let document = try Document.parse(
                Array(html.utf8), contentType: "text/html; charset=utf-8", url: "https://bank.example/")
            for form in document.forms {
                let buttons = [nil] + form.ownedControls.filter(\.isSubmitButton).map(Optional.some)
                for button in buttons {
                    let list = EntryList(of: form, submitter: button, state: FormState(), encoding: .windows1252)
                    #expect(list.entries.count <= 8 * document.controls.count)
                    _ = list.multipart(.windows1252, boundary: "B")
                    let url = try URLRecord(parsing: document.url)
                    _ = try? Submission(of: form, submitter: button, state: FormState(), url: url, base: url)
                }
            }
            for locator in [
                Locator.field("Name"), .button("text"), .row("text"), .cell(header: "text"), .text("é"),
                .css("form > :not(td)"),
            ] {
                _ = try? document.element(locator)
            }
        }
    }

    private struct Xorshift: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
