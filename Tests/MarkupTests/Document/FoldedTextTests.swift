import Encodings
import Testing

@testable import Markup

@Suite("A text on a page")
struct FoldedTextTests {
    @Test(
        "is found on a page as a person reads it, whatever separates the words",
        arguments: [
            ("your session has ended", true), ("has ended. Sign in", true), ("SIGN IN £5", true), ("hidden", false),
            ("sessionhas", false), ("end ed", false), ("ÉTÉ", true), ("été\u{200B} again", true),
        ])
    func page(words: String, isFound: Bool) throws {
        let page = """
            <title>Elsewhere</title><p>Your <b>ses</b>sion<br>\n has ended.<p>Sign\u{A0}in <td>£5</td><p hidden>hidden
            <p>E\u{301}t\u{E9} <i>again</i>
            """
        let document = try Document.parse(Array(page.utf8), contentType: "text/html; charset=utf-8")
        #expect(FoldedText(of: document).contains(words) == isFound)
        #expect(document.text.containsFolded(words) == isFound)
    }
}
