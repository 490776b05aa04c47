@testable import FileKinds

/// Accounts whose names, texts, days and figures could make a journal that other programs refuse.
enum JournalCases {
    /// Texts of a payer's, each as the other party and as the purpose.
    private static let texts = [
        "A \"B\" C", "A\\B\\", "A | B", ";comment", "a\u{A0};\u{A0}b", ";\u{308}x", "Café 🎉👩‍👩‍👧", "(code) text", "(open",
        "* star",
        "! bang", "=1+1", "Two  spaces  here", "at @ 3 EUR", "{} [2025-01-01]", "date: 1999-01-01", "#tag ^link",
        "plugin \"x\"",
        "\u{202E}abc\u{202C}", "2025/01/01 x", "end comment", "\\\"; option \"x\"", "a\nb\r\nc\td\u{2028}e",
        "\u{FEFF}x",
        String(repeating: "é", count: 5000),
    ]

    static func all() throws -> [(name: String, histories: [AccountHistory])] {
        var cases: [(name: String, histories: [AccountHistory])] = []
        for (number, text) in texts.enumerated() {
            let escaped = text.replacing("\n", with: "&#10;").replacing("\r", with: "&#13;")
            let file = CAMTReaderTests.statement.replacing("Bäckerei &amp; Söhne", with: escaped)
                .replacing("Bread", with: escaped)
            cases.append(("text-\(number)", try histories(file)))
        }
        let days = [("1900-01-01", "1900-01-31"), ("1969-12-31", "1970-01-01"), ("2199-12-01", "2199-12-31")]
        for (first, last) in days {
            let file = CAMTReaderTests.statement.replacing("2025-03-01", with: first).replacing(
                "2025-03-14", with: last
            )
            .replacing("2025-03-31", with: last)
            cases.append(("day-\(first)", try histories(file)))
        }
        for (opening, amount, closing) in [
            ("100", "0.00001", "99.99999"), ("100", "0", "100"), ("0", "0", "0"), ("100", "3.12345", "96.87655"),
            ("123456789012345.67", "0.01", "123456789012345.66"), ("100", "3", "50"),
        ] {
            let file = CAMTReaderTests.statement.replacing(">100<", with: ">\(opening)<")
                .replacing(">12.50<", with: ">\(amount)<").replacing(">87.5<", with: ">\(closing)<")
            cases.append(("amount-\(cases.count)", try histories(file)))
        }
        for currency in ["JPY", "BHD", "XAU", "XXX", "XTS"] {
            let file = CAMTReaderTests.statement.replacing("EUR", with: currency)
            cases.append(("currency-\(currency)", try histories(file)))
        }
        let numbers = [
            "12/34", "123/4", "giro", "Giro", "счёт", "конто", ";x", String(repeating: "A", count: 5000) + "1",
        ]
        var accounts: [AccountHistory] = []
        for number in numbers {
            accounts += try histories(CAMTReaderTests.statement.replacing("DE89370400440532013000", with: number))
        }
        accounts += try histories(
            CAMTReaderTests.statement.replacing("DE89370400440532013000", with: "giro").replacing("EUR", with: "USD"))
        cases.append(("accounts", accounts))
        return try cases + kinds()
    }

    /// A file of each kind that is read, and several of one account.
    private static func kinds() throws -> [(name: String, histories: [AccountHistory])] {
        let month =
            ":20:A\n:25:12345678/1\n:28C:1/1\n:60F:C250301EUR100,\n:61:250303D3,50NTRF\n:86:RENT\n:62F:C250331EUR96,5\n-\n"
        let next = month.replacing("C250331EUR96,5", with: "C250430EUR93,").replacing(
            "C250301EUR100,", with: "C250331EUR96,5"
        )
        .replacing("250303D", with: "250403D")
        let late = next.replacing("C250331EUR96,5", with: "C250331EUR90,").replacing(
            "C250430EUR93,", with: "C250430EUR86,5")
        let report = month.replacing(":60F:C250301EUR100,", with: ":34F:EUR0,").replacing(
            ":62F:C250331EUR96,5\n", with: "")
        let table = "Date;Amount;Balance\n2025-03-01;-1,50;98,50\n2025-03-02;-2,50;96,00\n"
        let files: [(String, [String])] = [
            (
                "camt052",
                [
                    CAMTReaderTests.statement.replacing("camt.053", with: "camt.052").replacing(
                        "BkToCstmrStmt", with: "BkToCstmrAcctRpt"
                    ).replacing("Stmt>", with: "Rpt>")
                ]
            ),
            ("camt053", [CAMTReaderTests.statement]), ("mt940", [month]), ("mt942", [report]),
            ("months", [month, next]),
            ("gap", [month, late]), ("ofx", [PlainFormatTests.ofx]),
            ("qif", ["!Type:Bank\nD2025-03-14\nT-1.00\nP;x\n^\n"]),
            ("csv", [table]),
        ]
        return try files.map { name, texts in (name, try histories(texts)) }
    }

    private static func histories(_ texts: String...) throws -> [AccountHistory] { try histories(texts) }

    private static func histories(_ texts: [String]) throws -> [AccountHistory] {
        var options = ReadingOptions()
        options.currency = "EUR"
        options.columns = try CSVColumns("booked=Date,amount=Amount,balance=Balance")
        return AccountHistory.of(try texts.flatMap { try TransactionFile.read(Array($0.utf8), options: options) })
    }
}
