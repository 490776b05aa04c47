import HTMLAutomation
import Secrets
import Testing

@testable import BrowserAutomation

@Suite("The texts that a picture shows")
struct ShownTextsTests {
    private func shown(_ texts: [String], keepingDigits: Bool = false) -> [String] {
        ShownTexts(of: texts, mask: Mask(keepsDigits: keepingDigits)).ranges.map { range in
            let units = Array(texts[range.text].utf16)[range.start..<range.end]
            return String(decoding: units, as: UTF16.self)
        }
    }

    @Test("are without the digits of account numbers and amounts")
    func digits() {
        #expect(shown(["Balance €1,234.56 in May 2026"]) == ["Balance €", ",", ".", " in May 2026"])
        #expect(shown(["Balance €1,234.56"], keepingDigits: true) == ["Balance €1,234.56"])
        // JavaScript counts 😀 as two.
        #expect(shown(["😀 40 2071 8836 end"]) == ["😀 ", " ", " ", " end"])
    }

    @Test("are without a secret, in one text or across several, whatever space is between its words")
    func secrets() {
        let word = Secret("heron-quartz-velvet")
        let phrase = Secret("seven lanterns over slate")
        let texts = [
            "Hello", "your word is heron-quartz-velvet", "seven\n  lanterns over slate", "heron-", "quartz", "-velvet",
            "seven lanterns", "over", "slate", "Goodbye",
        ]
        #expect(shown(texts, keepingDigits: true) == ["Hello", "Goodbye"])
        withExtendedLifetime((word, phrase)) {}
    }

    @Test("are whole where nothing is private")
    func harmless() {
        #expect(shown(["Statements", "Page 2 of 3"]) == ["Statements", "Page 2 of 3"])
        #expect(shown([]) == [])
    }
}
