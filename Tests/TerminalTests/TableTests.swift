import Foundation
import Testing

@testable import Terminal

@Suite("A table at the terminal")
struct TableTests {
    private func table() -> Table {
        var table = Table("ID", "STATUS", "RESULT")
        table.add("3f2a9c1e", "COMPLETED", "jan-2026.pdf")
        table.add("7b644f0e", "NAVIGATION_FAILED", "", style: .bad)
        return table
    }

    @Test("has columns under a header, and no space at the end of a line")
    func columns() {
        let lines = table().lines(width: 80)
        #expect(
            lines.map(\.text) == [
                "ID        STATUS             RESULT", "3f2a9c1e  COMPLETED          jan-2026.pdf",
                "7b644f0e  NAVIGATION_FAILED",
            ])
        #expect(lines.map(\.style) == [.faint, .plain, .bad])
    }

    @Test("is as wide as the terminal at most: the widest columns give way", arguments: [24, 30, 36, 40, 80])
    func narrow(width: Int) {
        var table = table()
        table.add("0d2c8e6b", "FAILED", String(repeating: "a long reason ", count: 20))
        let lines = table.lines(width: width).map(\.text)
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        #expect(lines[3].hasSuffix("…") && lines.allSatisfy { !$0.contains("\n") })
        #expect(width < 36 || lines[1].hasPrefix("3f2a9c1e"), "ids stay whole as long as others are wider")
    }

    @Test("breaks its last cell at spaces, and a word that is longer than its column", arguments: [20, 24, 40])
    func wrapped(width: Int) {
        var table = Table("ID", "WHAT", wrapsLast: true)
        table.add("3f2a9c1e", "a short one")
        table.add("7b644f0e", "a sentence with an-unbreakable-word-of-thirty-letters in it", style: .bad)
        table.add("0d2c8e6b", "")
        let lines = table.lines(width: width)
        #expect(lines.allSatisfy { $0.text.count <= width && !$0.text.contains("…") }, "\(lines.map(\.text))")
        let own = lines.filter { $0.style == .bad }.map { $0.text.dropFirst(10) }
        #expect(own.joined().filter { $0 != " " } == "asentencewithan-unbreakable-word-of-thirty-lettersinit")
        #expect(own.allSatisfy { $0.first != " " }, "\(own)")
        #expect(lines.last?.text == "0d2c8e6b")
    }

    @Test("shows a bank's control characters and lines on one line")
    func hostile() {
        var table = Table("NAME")
        table.add("one\ntwo\u{1B}[2J")
        let lines = table.lines(width: 80).map(\.text)
        #expect(lines.count == 2 && !lines[1].contains("\u{1B}") && lines[1].hasPrefix("one two"), "\(lines)")
    }

    @Test(
        "times are relative for a month",
        arguments: [
            (-30, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"),
            (86_399, "23 h ago"), (86_400, "1 day ago"), (3 * 86_400, "3 days ago"), (40 * 86_400, "2026-10-16"),
        ] as [(TimeInterval, String)])
    func ago(seconds: TimeInterval, words: String) {
        // 2026-11-25 12:00:00 UTC
        let now = Date(timeIntervalSince1970: 1_795_608_000)
        #expect(now.addingTimeInterval(-seconds).ago(at: now) == words)
    }

    @Test(
        "times to come are relative for a month",
        arguments: [
            (-5, "now"), (59, "now"), (60, "in 1 min"), (3599, "in 59 min"), (3600, "in 1 h"), (86_399, "in 23 h"),
            (86_400, "in 1 day"), (3 * 86_400, "in 3 days"), (40 * 86_400, "2027-01-04"),
        ] as [(TimeInterval, String)])
    func ahead(seconds: TimeInterval, words: String) {
        // 2026-11-25 12:00:00 UTC
        let now = Date(timeIntervalSince1970: 1_795_608_000)
        #expect(now.addingTimeInterval(seconds).ahead(of: now) == words)
    }

    @Test("a paragraph is broken at its spaces, and a path stays whole")
    func paragraph() {
        let path = "/home/robin/.local/share/countersign/inbox"
        let rows = Console.rows(of: "Documents go through \(path) to the broker.\nA second line.", width: 30)
        #expect(rows == ["Documents go through", path, "to the broker.", "A second line."])
    }

    @Test(
        "a command that a paragraph names stays on one line, to be copied",
        arguments: [
            (
                "Ask for it with: countersign request last-month --wait",
                ["Ask for it with:", "countersign request last-month --wait"]
            ),
            (
                "Make one with: countersign up. Or ask for it elsewhere.",
                ["Make one with: countersign up.", "Or ask for it elsewhere."]
            ),
            (
                "The countersign program is not a command to copy here.",
                ["The countersign program is not", "a command to copy here."]
            ),
        ])
    func command(text: String, rows: [String]) {
        #expect(Console.rows(of: text, width: 30) == rows)
    }
}
