import Testing

@testable import FileKinds

@Suite("QIF")
struct QIFReaderTests {
    private func read(_ text: String, account: String = "", skipping: Bool = false) throws -> [Statement] {
        var options = ReadingOptions()
        (options.currency, options.account, options.skipsUnreadable) = ("EUR", account, skipping)
        return try TransactionFile.read(Array(text.utf8), options: options)
    }

    @Test("has a decimal comma where its amounts show one")
    func comma() throws {
        let text = "!Type:Bank\nD31/03/2025\nT-12,50\n^\nD30/03/2025\nT1.234,56\n^\n"
        #expect(try read(text)[0].transactions.map(\.amount) == [Amount("-12.5"), Amount("1234.56")])
        #expect { try read("!Type:Bank\nD31/03/2025\nT1,234\n^\n") } throws: {
            ($0 as? ReadingError)?.code == .ambiguous
        }
    }

    @Test("has the order of dates that its header states")
    func order() throws {
        let text = "!Option:MDY\n!Type:Bank\nD03/04/2025\nT-1.00\n^\n"
        #expect(try read(text)[0].transactions[0].booked.description == "2025-03-04")
        #expect(throws: ReadingError.self) { try read(text.replacing("!Option:MDY\n", with: "")) }
    }

    @Test("has for each account the order of dates that its part of the file states")
    func orders() throws {
        func part(_ order: String, _ account: String) -> String {
            "!Option:\(order)\n!Account\nN\(account)\n^\n!Type:Bank\nD03/04/2025\nT-1.00\n^\n"
        }
        let statements = try read(part("MDY", "A") + part("DMY", "B"))
        #expect(statements.map(\.transactions[0].booked.description) == ["2025-03-04", "2025-04-03"])
        let late = "!Account\nNA\n^\n!Type:Bank\nD03/04/2025\nT-1.00\n^\n" + part("MDY", "B")
        #expect(try read(late).map(\.transactions[0].booked.description) == ["2025-03-04", "2025-03-04"])
    }

    @Test("is refused where an amount is in another currency than the one that was given")
    func currency() throws {
        #expect { try read("!Type:Bank\nD31/03/2025\nT-12,50 USD\n^\n") } throws: {
            ($0 as? ReadingError)?.code == .currency && ($0 as? ReadingError)?.line == 2
        }
        #expect(try read("!Type:Bank\nD31/03/2025\nT-12,50 €\n^\n")[0].transactions[0].amount == Amount("-12.5"))
    }

    @Test(
        "refuses a record with a second date or amount, as the line between two records is missing",
        arguments: ["D31/03/2025\nT-1.00\nD30/03/2025\nT-2.00\n^\n", "D31/03/2025\nT-1.00\nT-2.00\n^\n"])
    func missingEnd(records: String) throws {
        #expect { try read("!Type:Bank\n" + records) } throws: { ($0 as? ReadingError)?.line == 4 }
        let statement = try read("!Type:Bank\n" + records + "D30/03/2025\nT7.00\n^\n", skipping: true)[0]
        #expect(statement.transactions.map(\.amount) == [Amount("7")])
        #expect(statement.unreadable == 1)
    }

    static let two = """
        !Option:AutoSwitch
        !Account
        NGiro
        ^
        NSavings
        ^
        !Clear:AutoSwitch
        !Account
        NGiro
        ^
        !Type:Bank
        D2025-03-31
        T-5.00
        ^
        !Account
        NSavings
        ^
        !Type:Bank
        D2025-03-31
        T7.00
        ^

        """

    @Test("has one statement for each account, also when the person names one")
    func accounts() throws {
        for name in ["", "Other"] {
            let statements = try read(Self.two, account: name)
            #expect(statements.map(\.account) == ["Giro", "Savings"])
            #expect(statements.map { $0.transactions.map(\.amount.description) } == [["-5.00"], ["7.00"]])
        }
        #expect(try read("!Account\nNGiro\n^\n!Type:Bank\nD2025-03-31\nT1.00\n^\n", account: "A")[0].account == "A")
    }

    @Test("is asked for the account where a list precedes the bookings")
    func list() throws {
        let text = "!Account\nNGiro\n^\nNSavings\n^\n!Type:Bank\nD2025-03-31\nT7.00\n^\n"
        #expect { try read(text) } throws: {
            ($0 as? ReadingError)?.code == .ambiguous && "\($0)".contains("--account")
        }
        #expect(try read(text, account: "Savings").map(\.account) == ["Savings"])
    }

    @Test("says what it leaves out: text before the start, a securities account, a booking that cannot be read")
    func notes() throws {
        let text =
            "made by hand\n!Type:Invst\nD2025-03-30\nT1.00\n^\n!Type:Bank\nD2025-03-31\nT7.00\n^\nD2025-03-32\nT1.00\n^\n"
        #expect { try read(text) } throws: { ($0 as? ReadingError)?.line == 10 }
        let statement = try read(text, skipping: true)[0]
        #expect(statement.transactions.map(\.amount) == [Amount("7")])
        #expect(statement.unreadable == 1)
        #expect(statement.notes.count == 3, "\(statement.notes)")
    }
}
