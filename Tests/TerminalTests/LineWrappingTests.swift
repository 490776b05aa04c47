import Testing

@testable import Terminal

@Suite("Wrapped lines")
struct LineWrappingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let width: Int
        var indent = ""
        var breaksWords = true
        let lines: [String]

        var testDescription: String { "“\(text)” in \(width)" }
    }

    static let cases: [Case] = [
        Case(text: "", width: 8, lines: [""]), Case(text: "one", width: 3, lines: ["one"]),
        Case(text: "one two", width: 7, lines: ["one two"]), Case(text: "one two", width: 6, lines: ["one", "two"]),
        Case(text: "one two three", width: 8, lines: ["one two", "three"]),
        Case(text: "one two three", width: 8, indent: "  ", lines: ["one two", "  three"]),
        Case(text: "one two three", width: 6, indent: "  ", lines: ["one", "  two", "  thre", "  e"]),
        Case(text: "a abcdefgh b", width: 4, lines: ["a", "abcd", "efgh", "b"]),
        Case(text: "abcdefghi b", width: 4, lines: ["abcd", "efgh", "i b"]),
        Case(text: "abcdefgh b", width: 4, breaksWords: false, lines: ["abcdefgh", "b"]),
        Case(text: "a abcdefgh b", width: 4, indent: " ", breaksWords: false, lines: ["a", " abcdefgh", " b"]),
        Case(text: "abc", width: 2, indent: "    ", lines: ["ab", "    c"]),
    ]

    @Test(
        "are as long as the width at most, but for a word that is kept whole or an indent that is too wide",
        arguments: cases)
    func wrapped(expected: Case) {
        let lines = LineWrapping.lines(
            of: expected.text.split(separator: " "), width: expected.width, indent: expected.indent,
            breaksWords: expected.breaksWords)
        #expect(lines == expected.lines)
    }
}
