import Foundation
import TestSupport
import Testing

@testable import FileKinds

@Suite("MT940")
struct SWIFTReaderTests {
    static let message = """
        :20:STARTUMSE
        :25:37040044/0532013000
        :28C:00003/001
        :60F:C250301EUR100,00
        :61:2503140314D12,50NMSCNONREF//B-1
        :86:105?00KARTE?20EREF+R-1?21SVWZ+Bread?30COBADEFFXXX?31DE44500105175407324931?32Baker
        :61:2503150315CR5,NTRFNONREF
        :86:plain text
        :62F:C250331EUR92,50
        -
        """

    private func read(_ text: String) throws -> [Statement] { try TransactionFile.read(Array(text.utf8)) }

    @Test("gives balances and transactions, whose field 86 may be structured or plain")
    func message() throws {
        let statement = try #require(try read(Self.message).first)
        #expect(statement.opening?.amount == Amount("100"))
        #expect(statement.closing?.amount == Amount("92.5"))
        #expect(statement.transactions.map(\.amount) == [Amount("-12.5"), Amount("5")])
        #expect(statement.transactions[0].counterparty == "Baker")
        #expect(statement.transactions[0].purpose == "Bread")
        #expect(statement.transactions[0].bankReference == "B-1")
        #expect(statement.transactions[0].payerReference == "R-1")
        #expect(statement.transactions[1].purpose == "plain text")
    }

    @Test(
        "is refused with a sentence, a line and no account number",
        arguments: [
            (":62F:C250331EUR92,50\n", "", ReadingError.Code.syntax), (":60F:C250301EUR100,00\n", "", .currency),
            ("D12,50", "X12,50", .amount), ("2503140314", "2513140314", .date),
            (":25:37040044/0532013000\n", "", .syntax),
        ])
    func refused(part: String, other: String, code: ReadingError.Code) {
        #expect { try read(Self.message.replacingOccurrences(of: part, with: other)) } throws: { error in
            guard let error = error as? ReadingError else { return false }
            return error.code == code && error.line != nil && !error.description.contains("0532013000")
        }
    }

    @Test("books around the turn of the year")
    func turnOfYear() throws {
        let text = Self.message.replacingOccurrences(of: "2503140314", with: "2412310102")
        let transaction = try #require(try read(text).first?.transactions.first)
        #expect(transaction.valued?.description == "2024-12-31")
        #expect(transaction.booked.description == "2025-01-02")
    }

    @Test(
        "as banks write it", .needsVectors,
        arguments: [
            ("betterplace/sepa_mt9401.sta", true), ("cmxl/mt940.sta", true), ("mBank/mt940.sta", true),
            ("ASNB/mt940.txt", true),
        ])
    func vectors(file: String, adds: Bool) throws {
        let statements = try TransactionFile.read(Array(try Vectors.data("mt940/\(file)")), as: .mt940)
        #expect(!statements.flatMap(\.transactions).isEmpty)
        for statement in statements where adds {
            let opening = try #require(statement.opening)
            let closing = try #require(statement.closing)
            #expect(statement.transactions.reduce(opening.amount) { $0 + $1.amount } == closing.amount, "\(file)")
        }
    }
}
