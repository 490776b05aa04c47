import Testing

@testable import FileKinds

@Suite("Amounts as banks and people write them")
struct WrittenAmountsTests {
    private func amounts(_ texts: [String], currency: String = "EUR", both: Bool = false) throws -> [String] {
        let reader = try WrittenAmounts(texts, mark: nil, currency: currency, allowsBoth: both)
        return try texts.map { try reader.amount($0, line: 1).description }
    }

    @Test(
        "have the decimal mark that all of a file show",
        arguments: [
            (["-12,50"], ["-12.50"]), (["-12,50", "1.234"], ["-12.50", "1234.00"]),
            (["1,234", "0.50"], ["1234.00", "0.50"]), (["1.234.567", "1.000"], ["1234567.00", "1000.00"]),
            (["1,234,567.80"], ["1234567.80"]), (["12,34,567.00"], ["1234567.00"]), (["0,125"], ["0.125"]),
            (["1234.567"], ["1234.567"]), (["1 234,50", "1'234,50"], ["1234.50", "1234.50"]), (["7"], ["7.00"]),
        ])
    func marks(texts: [String], expected: [String]) throws {
        #expect(try amounts(texts) == expected)
    }

    @Test("are asked for where both marks fit", arguments: [["1,234"], ["1.234", "5"], ["-1,234", "12,345"]])
    func ambiguous(texts: [String]) {
        #expect { try amounts(texts) } throws: {
            ($0 as? ReadingError)?.code == .ambiguous && "\($0)".contains("--decimal-mark")
        }
    }

    @Test("have three decimals in the currencies that have them")
    func threeDecimals() throws {
        #expect(try amounts(["1.234"], currency: "KWD") == ["1.234"])
    }

    @Test(
        "have no fraction that the currency does not have, unless the person says which mark is decimal",
        arguments: [(["12.50", "1.234"], "EUR"), (["12,50", "1,230"], "PLN")])
    func fractions(texts: [String], currency: String) throws {
        #expect { try amounts(texts, currency: currency) } throws: {
            "\($0)".contains("\(currency) has") && "\($0)".contains("--decimal-mark")
        }
        let mark = try #require(texts[1].first { !$0.isNumber })
        let said = try WrittenAmounts(texts, mark: mark, currency: currency)
        #expect(try said.amount(texts[1], line: 1).description == texts[1].replacing(",", with: ".").trimmingZeros)
    }

    @Test("have groups where the currency has no decimals", arguments: ["1,234", "1.234"])
    func groups(text: String) throws {
        #expect(try amounts([text], currency: "JPY") == ["1234.00"])
    }

    @Test("have both marks only where the format allows it, and each shows its own")
    func both() throws {
        #expect(try amounts(["-1,50", "2.50"], both: true) == ["-1.50", "2.50"])
        #expect(throws: ReadingError.self) { try amounts(["-1,50", "2.50"]) }
        #expect(throws: ReadingError.self) { try amounts(["-1,50", "2.50", "1,234"], both: true) }
    }

    @Test(
        "have a sign before or behind, a currency, or parentheses",
        arguments: [
            ("12,50-", "-12.50"), ("−12,50", "-12.50"), ("(12.50)", "-12.50"), ("$12.50", "12.50"),
            ("-$12.50", "-12.50"), ("$-12.50", "-12.50"), ("12.50 EUR", "12.50"), ("EUR 12.50-", "-12.50"),
            ("€12.50", "12.50"), ("+ 12.50", "12.50"), ("12.50 DR", "-12.50"), ("12.50 CR", "12.50"),
            ("12,50 zł", "12.50"), ("US$ 5.00", "5.00"), ("12,50 kr.", "12.50"), ("Fr. 12.50", "12.50"),
            ("-12.3400000000000034", "-12.34"), ("12,-", "12.00"), ("-12,--", "-12.00"), ("12.–", "12.00"),
            ("12.339999999999996", "12.34"), ("1'234'567.50", "1234567.50"), ("-1\u{202F}234,50", "-1234.50"),
            ("CHF 1\u{2019}000.00", "1000.00"), ("‐12,50", "-12.50"), ("‒12.50", "-12.50"), ("－１２．５０", "-12.50"),
            ("\u{200E}-12.50", "-12.50"), ("-١٢٫٥٠", "-12.50"), ("١٬٢٣٤٫٥٠", "1234.50"),
        ])
    func forms(text: String, expected: String) throws {
        #expect(try amounts([text]) == [expected])
    }

    @Test(
        "are refused with anything else in them, and with signs that contradict one another",
        arguments: [
            "", "-", "12.50x3", "1e5", "--5.00", "-5.00 CR", "12.50 EUR USD", "1.2.3,4,5", "12.123456789",
            // Groups have three digits: these may be decimal marks, or two numbers.
            "12 50", "12'50", "-1 2,50", "10 5", "1.234 567", "1234 567", "1\u{2019}2345",
        ])
    func refused(text: String) {
        #expect(throws: ReadingError.self) { try amounts([text]) }
    }

    @Test("are shown with their digits in a message, unless they could be an account")
    func messages() {
        #expect(ReadingError.figure("-12.3400000000000034x") == "“-12.3400000000000034x”")
        #expect(ReadingError.figure("2025-03-03-05:00") == "“2025-03-03-05:00”")
        #expect(!ReadingError.figure("DE89370400440532013000").contains("0532"))
        #expect(!ReadingError.figure("4111 1111 1111 1111").contains("1"))
    }
}

extension String {
    /// The text without zeros at its end.
    fileprivate var trimmingZeros: String {
        var text = self
        while text.hasSuffix("0") { text.removeLast() }
        return text
    }
}
