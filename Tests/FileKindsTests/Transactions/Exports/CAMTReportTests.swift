import Foundation
import Testing

@testable import FileKinds

@Suite("Bookings of an interface as a CAMT file")
struct CAMTReportTests {
    private static func day(_ text: String) -> CalendarDay { CalendarDay(iso: text)! }

    private static func entry(
        _ id: String, _ day: String, _ amount: String, balance: String? = nil, payee: String = "", purpose: String = "",
        pending: Bool = false
    ) -> CAMTReport.Entry {
        var entry = CAMTReport.Entry(id: id, booked: Self.day(day), amount: Amount(amount)!, currency: "AUD")
        entry.balance = balance.flatMap { Amount($0) }
        (entry.counterparty, entry.purpose, entry.isPending) = (payee, purpose, pending)
        return entry
    }

    private static func report(_ entries: [CAMTReport.Entry], account: String = "Spending") -> CAMTReport {
        CAMTReport(
            account: account, currency: "AUD", from: day("2026-01-01"), to: day("2026-01-31"), entries: entries,
            made: "2026-02-01T08:00:00Z")
    }

    private static func read(_ report: CAMTReport) throws -> Statement {
        let bytes = Array(try report.text().utf8)
        #expect(try FileCheck.check(bytes).kind == .camt)
        let statements = try TransactionFile.read(bytes)
        #expect(statements.count == 1)
        return statements[0]
    }

    @Test("is read back to the cent, from the oldest to the latest, with its texts")
    func roundTrip() throws {
        let long = String(repeating: "Invoice 2026 & <parts> ", count: 20)
        let statement = try Self.read(
            Self.report([
                Self.entry("4", "2026-01-30", "0.01"),
                Self.entry("3", "2026-01-20", "-1234567.89", payee: "A & B <Ltd>"),
                Self.entry("2", "2026-01-20", "100", payee: "Employer", purpose: long),
                Self.entry("1", "2026-01-02", "-0.10", purpose: " two\n lines\u{7}"),
            ]))
        #expect(statement.transactions.map(\.amount.description) == ["-0.10", "100.00", "-1234567.89", "0.01"])
        #expect(statement.transactions.map(\.bankReference) == ["1", "2", "3", "4"])
        #expect(
            statement.transactions[2].counterparty == "A & B <Ltd>"
                && statement.transactions[1].counterparty == "Employer")
        #expect(statement.transactions[0].purpose == "two lines")
        #expect(statement.transactions[1].purpose == long.trimmingCharacters(in: .whitespaces))
        #expect(statement.isInterim && statement.closing == nil && statement.account == "Spending")
        #expect(statement.from == Self.day("2026-01-01") && statement.to == Self.day("2026-01-31"))
    }

    @Test("marks what is pending, and readers leave it out")
    func pending() throws {
        let report = Self.report([
            Self.entry("2", "2026-01-30", "-180", pending: true), Self.entry("1", "2026-01-02", "-5"),
        ])
        #expect(try report.text().contains("<Sts>PDNG</Sts>"))
        let statement = try Self.read(report)
        #expect(statement.transactions.map(\.amount.description) == ["-5.00"])
        #expect(statement.notes.contains { $0.contains("not booked yet are left out: 1") })
    }

    @Test("is a statement with balances where each booking has one, in either order", arguments: [true, false])
    func balances(isDescending: Bool) throws {
        let entries = [
            Self.entry("1", "2026-01-02", "-5", balance: "95"),
            Self.entry("2", "2026-01-02", "10.50", balance: "105.50"),
            Self.entry("3", "2026-01-09", "-0.50", balance: "105"),
        ]
        let statement = try Self.read(Self.report(isDescending ? entries.reversed() : entries))
        #expect(statement.transactions.map(\.bankReference) == ["1", "2", "3"])
        #expect(statement.opening?.amount == Amount("100") && statement.closing?.amount == Amount("105"))
        #expect(!statement.isInterim)
        #expect(throws: ReadingError.self) {
            try Self.report([entries[0], entries[2]]).text()
        }
    }

    @Test("keeps long ids apart in 35 characters", arguments: [("a", "b"), ("x-1", "x-2")])
    func references(first: String, second: String) throws {
        let uuid = "5b54e6ef-ecf1-4c49-aa03-2104a490c849"
        let long = String(repeating: "very-long-", count: 9)
        let statement = try Self.read(
            Self.report(
                [
                    Self.entry(long + first, "2026-01-02", "1"), Self.entry(long + second, "2026-01-03", "2"),
                    Self.entry(uuid, "2026-01-04", "3"),
                ], account: uuid))
        let references = statement.transactions.map(\.bankReference)
        #expect(Set(references).count == 3 && references.allSatisfy { $0.count <= 35 })
        #expect(references[2] == uuid.replacing("-", with: "") && statement.account == references[2])
    }
}
