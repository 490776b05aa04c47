import Testing

@testable import FileKinds

@Suite("Several statements of one account")
struct AccountHistoryTests {
    private func month(_ month: Int, _ opening: String, _ amounts: [String], _ closing: String) throws -> Statement {
        var text = ":20:A\n:25:37040044/0532013000\n:60F:C250\(month)01EUR\(opening)\n"
        for amount in amounts { text += ":61:250\(month)100\(month)10\(amount)NMSCNONREF\n" }
        text += ":62F:C250\(month)28EUR\(closing)\n-\n"
        return try #require(try TransactionFile.read(Array(text.utf8)).first)
    }

    @Test("have each transaction once, and two alike on one day twice")
    func doubles() throws {
        let january = try month(1, "100,", ["D2,", "D2,"], "96,")
        let history = try #require(AccountHistory.of([january, january]).first)
        #expect(history.transactions.count == 2)
        #expect(history.gaps.isEmpty)
    }

    @Test("follow one another within a day, also when a file is there twice")
    func sameDay() throws {
        func statement(_ opening: String, _ amount: String, _ closing: String) throws -> Statement {
            let text = """
                :20:A
                :25:1/2
                :60F:C250301EUR\(opening)
                :61:2503010301\(amount)NMSCNONREF
                :62F:C250301EUR\(closing)
                -
                """
            return try #require(try TransactionFile.read(Array(text.utf8)).first)
        }
        let first = try statement("10,", "C1,", "11,")
        let second = try statement("11,", "C2,", "13,")
        let history = try #require(AccountHistory.of([first, second]).first)
        #expect(history.closing?.amount == Amount("13"))
        #expect(history.gaps.isEmpty)
        #expect(AccountHistory.of([first, first]).first?.gaps.isEmpty == true)
    }

    @Test("have a gap where a month is missing, in words")
    func missingMonth() throws {
        let statements = try [
            month(4, "50,", [], "50,"), month(2, "100,", ["D2,"], "98,"), month(1, "100,", [], "100,"),
        ]
        let gap = try #require(AccountHistory.of(statements).first?.gaps.first)
        #expect(
            gap.message
                == "March 2025 is missing: the closing balance of February 2025 (98.00) is not the opening balance of April 2025 (50.00 EUR)"
        )
        #expect(gap.difference == Amount("-48"))
    }

    @Test("have none where the balance did not change in the missing month")
    func quietMonth() throws {
        let history = AccountHistory.of([try month(1, "100,", [], "100,"), try month(3, "100,", ["C1,"], "101,")])
        #expect(history.first?.gaps.isEmpty == true && history.first?.isContradictory == false)
    }

    @Test("have one where a statement does not add up")
    func sum() throws {
        let history = try #require(AccountHistory.of([try month(1, "100,", ["D2,"], "97,")]).first)
        let gap = try #require(history.gaps.first)
        #expect(history.isContradictory)
        #expect(gap.difference == Amount("-1"))
        #expect(gap.message.hasPrefix("January 2025 does not add up"))
    }

    @Test("have the balances of a part of the time")
    func part() throws {
        let history = try #require(
            AccountHistory.of([try month(1, "100,", ["D2,"], "98,"), try month(2, "98,", ["C5,"], "103,")]).first)
        let part = history.part(from: CalendarDay(iso: "2025-02-01"), to: nil)
        #expect(part.opening?.amount == Amount("98"))
        #expect(part.transactions.map(\.amount) == [Amount("5")])
        #expect(history.part(from: nil, to: CalendarDay(iso: "2025-01-31")).closing?.amount == Amount("98"))
        for (first, last) in [("2026-01-01", "2026-12-31"), ("2024-01-01", "2024-12-31")] {
            let apart = history.part(from: CalendarDay(iso: first), to: CalendarDay(iso: last))
            #expect(apart.opening == nil && apart.closing == nil && apart.transactions.isEmpty)
            #expect(try !TransactionExport.ledger.text([apart]).contains(" = "))
            let sentence = "the files of this account have 2025-01-10 to 2025-02-28, and none of the days asked for"
            #expect(apart.notes == [sentence])
            #expect {
                try TransactionExport.ofx.text([apart])
            } throws: {
                "\($0)".hasPrefix(sentence)
            }
        }
    }
}
