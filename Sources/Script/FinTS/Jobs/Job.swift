import Clocks

/// Something that a bank is asked to tell. Nothing here moves money or changes anything at the bank: a job that does is
/// not a case of this type, so no code can ask for it.
///
/// The segments are those of *FinTS 3.0, Messages, Multibankfähige Geschäftsvorfälle*, each with its code. A statement is
/// never acknowledged, so the bank shows it to its customer as unread.
package enum Job: Sendable, Hashable {
    /// The accounts with IBAN and BIC (HKSPA).
    case accounts
    /// The balance of an account (HKSAL).
    case balance(BankAccount)
    /// The list of an account's statements (HKKAU).
    case statementList(BankAccount)
    /// Statements in the bank's format for print (HKEKP); without a number, those that the bank chooses.
    case pdfStatement(BankAccount, StatementNumber?)
    /// The same in one of several formats, of which PDF is asked for (HKEKA).
    case statement(BankAccount, StatementNumber?)
    /// Bookings as CAMT (HKCAZ).
    case camt(BankAccount, ClosedRange<CalendarDate>?, formats: [String])
    /// Bookings as MT940 (HKKAZ).
    case mt940(BankAccount, ClosedRange<CalendarDate>?)

    /// The number of a statement in its year.
    package struct StatementNumber: Sendable, Hashable {
        package let number: Int
        package let year: Int

        package init(number: Int, year: Int) {
            self.number = number
            self.year = year
        }
    }

    /// The code of the segment that asks.
    package var code: String {
        switch self {
        case .accounts: "HKSPA"
        case .balance: "HKSAL"
        case .statementList: "HKKAU"
        case .pdfStatement: "HKEKP"
        case .statement: "HKEKA"
        case .camt: "HKCAZ"
        case .mt940: "HKKAZ"
        }
    }

    /// The code of the segments that answer.
    package var answerCode: String { "HI" + code.dropFirst(2) }

    /// The versions of the segment that this program writes.
    package var versions: [Int] {
        switch self {
        case .accounts: [1, 2, 3]
        case .balance: [5, 6, 7]
        case .statementList: [1, 2]
        case .pdfStatement: [1, 2]
        case .statement: [3, 4, 5]
        case .camt: [1]
        case .mt940: [5, 6, 7]
        }
    }

    package var account: BankAccount? {
        switch self {
        case .accounts: nil
        case .balance(let account), .statementList(let account), .pdfStatement(let account, _),
            .statement(let account, _), .camt(let account, _, _), .mt940(let account, _):
            account
        }
    }

    /// The words of the job in a trace.
    package var words: String {
        switch self {
        case .accounts: "ask for the accounts (HKSPA)"
        case .balance: "ask for the balance (HKSAL)"
        case .statementList: "ask for the list of statements (HKKAU)"
        case .pdfStatement(_, let number): "ask for \(Self.words(number)) as PDF (HKEKP)"
        case .statement(_, let number): "ask for \(Self.words(number)) as PDF (HKEKA)"
        case .camt(_, let days, _): "ask for the bookings\(Self.words(days)) as CAMT (HKCAZ)"
        case .mt940(_, let days): "ask for the bookings\(Self.words(days)) as MT940 (HKKAZ)"
        }
    }

    private static func words(_ number: StatementNumber?) -> String {
        number.map { "statement \($0.number) of \($0.year)" } ?? "statements"
    }

    private static func words(_ days: ClosedRange<CalendarDate>?) -> String {
        days.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""
    }
}
