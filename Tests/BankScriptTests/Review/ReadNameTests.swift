import Testing

@testable import BankScript

@Suite("A name as a person reads it")
struct ReadNameTests {
    @Test(
        "is the same for names that look alike",
        arguments: [
            ("Meridian Savings", "Meridian Ѕavings"), ("Meridian Savings", "MERIDIAN-SAVINGS"),
            ("savings", "savlngs"), ("Barclays", "Barc1ays"), ("Comdirect", "Corndirect"), ("Lowell", "Lovvell"),
            ("Crédit Agricole", "Credit  Agricole"), ("N26", "Ν26"), ("monzo", "ｍｏｎｚ０"), ("Bank", "ВАΝК"),
        ])
    func alike(_ name: String, _ other: String) {
        #expect(ReadName(name) == ReadName(other))
        #expect(!ReadName(name).isEmpty)
    }

    @Test(
        "is another one for other names",
        arguments: [
            ("Meridian Savings", "Meridian Bank"), ("N26", "N27"), ("Sparkasse Köln", "Sparkasse Bonn"),
            ("三菱", "三井"), ("Monzo", "Monzo Business"),
        ])
    func other(_ name: String, _ other: String) {
        #expect(ReadName(name) != ReadName(other))
    }

    @Test("is empty without a letter or a digit", arguments: ["", "  ", "…–!", "\u{202E}"])
    func empty(_ name: String) {
        #expect(ReadName(name).isEmpty)
    }
}
