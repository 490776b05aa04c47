import Clocks
import Testing

@testable import FinTS

@Suite("Statements and months")
struct StatementPeriodsTests {
    private func statement(_ text: String) throws -> SentStatement {
        let segments = try SegmentReader.segments(of: Array("HIEKP:3:2:3+@4@%PDF+\(text)'".utf8))
        return try #require(try JobResults(segments).statements().first)
    }

    @Test(
        "a statement belongs to the month in which it ends, and to each that it covers",
        arguments: [
            ("20260301:20260331", "2026-03", true), ("20260301:20260331", "2026-04", false),
            ("20260101:20260331", "2026-01", true), ("20260101:20260331", "2026-02", true),
            ("20260101:20260331", "2026-03", true), ("20260101:20260331", "2025-12", false),
            ("20260315:20260414", "2026-03", false), ("20260315:20260414", "2026-04", true),
            ("+20260402", "2026-03", true), ("+20260402", "2026-04", false), ("+20260430", "2026-04", true),
            ("", "2026-04", false),
        ])
    func months(_ text: String, _ month: String, _ belongs: Bool) throws {
        let statement = try statement(text)
        let month = try #require(MonthYear(month))
        #expect(StatementPeriods.statements([(statement, nil)], of: month).isEmpty == !belongs)
    }

    @Test("the day in the bank's list counts where the statement says none")
    func listed() throws {
        let month = try #require(MonthYear("2026-03"))
        #expect(StatementPeriods.statements([(try statement(""), "2026-04-01")], of: month).count == 1)
    }

    @Test("several statements of a month come in order, and each once")
    func several() throws {
        let month = try #require(MonthYear("2026-03"))
        let texts = ["20260316:20260331", "20260301:20260315", "20260316:20260331", "+20260402", "+20260310"]
        let sent = try texts.enumerated().map { index, text in
            (try SegmentReader.segments(of: Array("HIEKP:3:2:3+@5@%PDF\(index == 2 ? 0 : index)+\(text)'".utf8)))
        }
        let statements = try sent.flatMap { try JobResults($0).statements() }
        let found = StatementPeriods.statements(statements.map { ($0, nil) }, of: month)
        // The one that was made on the 10th belongs to February.
        #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == ["%PDF1", "%PDF0", "%PDF3"])
    }

    @Test("the days of a month end today, and a month that has not begun has none")
    func days() throws {
        let month = try #require(MonthYear("2026-04"))
        #expect(StatementPeriods.days(of: month, within: nil, today: "2026-05-02") == "2026-04-01"..."2026-04-30")
        #expect(StatementPeriods.days(of: month, within: nil, today: "2026-04-02") == "2026-04-01"..."2026-04-02")
        #expect(StatementPeriods.days(of: month, within: 5...9, today: "2026-05-02") == "2026-04-05"..."2026-04-09")
        #expect(StatementPeriods.days(of: month, within: nil, today: "2026-03-31") == nil)
    }
}

@Suite("CAMT files of one answer")
struct CAMTFilesTests {
    private func file(_ name: String, _ body: String, version: String = "02") -> [UInt8] {
        Array(
            "<?xml version=\"1.0\"?>\n<Document xmlns=\"urn:iso:camt.053.001.\(version)\"><BkToCstmrStmt><GrpHdr/>\(body.replacing("S>", with: "\(name)>"))</BkToCstmrStmt></Document>"
                .utf8)
    }

    @Test("joins whole statements, and keeps one file as it is")
    func joins() throws {
        let one = file("Stmt", "<S>1</S>")
        #expect(CAMTFiles.joined([one]) == one)
        let joined = try #require(CAMTFiles.joined([one, file("Stmt", "<S>2</S><S>3</S>")]))
        #expect(joined == file("Stmt", "<S>1</S><S>2</S><S>3</S>"))
        #expect(
            CAMTFiles.joined([file("Rpt", "<S>1</S>"), file("Rpt", "<S>2</S>")]) == file("Rpt", "<S>1</S><S>2</S>"))
        #expect(
            CAMTFiles.joined([file("n:Stmt", "<S>1</S>"), file("n:Stmt", "<S>2</S>")])
                == file("n:Stmt", "<S>1</S><S>2</S>"))
    }

    @Test("does not join files of different versions, or anything else")
    func refuses() {
        #expect(CAMTFiles.joined([file("Stmt", "<S>1</S>"), file("Stmt", "<S>2</S>", version: "08")]) == nil)
        #expect(CAMTFiles.joined([file("Stmt", "<S>1</S>"), file("Rpt", "<S>2</S>")]) == nil)
        #expect(CAMTFiles.joined([file("Stmt", "<S>1</S>"), Array("<html/>".utf8)]) == nil)
        #expect(CAMTFiles.joined([file("Stmt", "<S>1</S>"), []]) == nil)
        #expect(CAMTFiles.joined([]) == nil)
    }
}
