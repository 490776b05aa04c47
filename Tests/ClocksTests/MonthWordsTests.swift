import Clocks
import Testing

@Suite("A month in words")
struct MonthWordsTests {
    @Test(
        "is known by its name in many languages, and by the first three letters",
        arguments: [
            ("March", 3), ("märz", 3), ("JUILLET", 7), ("août", 8), ("Sept", 9), ("dez", 12), ("kwietnia", 4),
            ("мая", 5),
        ])
    func known(word: String, month: Int) {
        #expect(MonthWords.month(word) == month)
    }

    @Test("is no other word, and no beginning of two months", arguments: ["ma", "ju", "statement", "2025", ""])
    func unknown(word: String) {
        #expect(MonthWords.month(word) == nil)
    }

    @Test("is a whole name where that is asked for")
    func whole() {
        #expect(MonthWords.month(named: "April") == 4)
        #expect(MonthWords.month(named: "Apr") == nil)
    }
}
