import Automation
import Secrets
import Testing

@testable import BrowserAutomation

/// A page may write what was typed in its own way, but a part of it must not be sent.
@Suite("The content of a filled field")
struct FieldContentTests {
    /// Typed texts with what the field holds, and whether it holds the text, or a secret of that text.
    private static let cases: [(typed: String, held: String, holds: Bool, holdsSecret: Bool)] = [
        ("casey.navigator", "casey.navigator", true, true),
        ("casey.navigator", "cas", false, false),
        ("casey.navigator", "gator", false, false),
        ("casey.navigator", "", false, false),
        ("casey", "caseycasey", false, false),
        ("casey", "CASEY", true, true),
        ("DE02120300000000202051", "DE02 1203 0000 0000 2020 51", true, true),
        ("01/03/2025", "01.03.2025", true, true),
        ("01/03/2025", "1/3/2025", true, false),
        ("1234", "1,234.00", true, true),
        ("1.50", "1.5", true, false),
        ("00123", "123", true, false),
        ("170123456", "+49 170123456", true, true),
        ("s3cret", "••••••", true, true),
        ("s3cret", "•••", false, false),
        ("s3cret", "p", false, false),
        ("!?!", "!?!", true, true),
        ("!?!", "!", false, false),
        ("one\r\ntwo", "one\ntwo", true, true),
        ("", "", true, true),
    ]

    @Test("is judged against what was typed", arguments: cases.indices)
    func holds(_ index: Int) {
        let known = Self.cases[index]
        let content = FieldContent(text: known.held)
        #expect(content.holds(.text(known.typed)) == known.holds)
        #expect(content.holds(.secret(Secret(known.typed))) == known.holdsSecret)
    }

    @Test("is cut where less is there than was typed")
    func cut() {
        let typed = Input.secret(Secret("s3cret"))
        for held in ["", "s", "s3cre", "ecret"] { #expect(FieldContent(text: held).isCut(of: typed), "\(held)") }
        // A page may replace a password by its digest.
        for held in ["s3cret", "5ebe2294ecd0e0f08eab7690d2a6ee69"] {
            #expect(!FieldContent(text: held).isCut(of: typed), "\(held)")
        }
    }
}
