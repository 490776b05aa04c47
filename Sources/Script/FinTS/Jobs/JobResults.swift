import Clocks
import Foundation

/// An entry of a bank's list of statements (HIKAU).
package struct ListedStatement: Sendable, Hashable {
    package let number: Job.StatementNumber?
    package let created: CalendarDate?
    /// False for a statement that the bank lists and does not give away any more.
    package let isAvailable: Bool

    init(_ segment: Segment) {
        if let number = segment.element(1).number, let year = segment.element(4).number {
            self.number = Job.StatementNumber(number: number, year: year)
        } else {
            number = nil
        }
        isAvailable = segment.element(3).isYes
        created = segment.element(5).date
    }
}

/// A statement as a bank sends it (HIEKP, HIEKA).
package struct SentStatement: Sendable, Hashable {
    package let bytes: [UInt8]
    /// The first and the last day that the statement covers; nil when the bank does not say it.
    package let days: ClosedRange<CalendarDate>?
    package let created: CalendarDate?
    package let number: Job.StatementNumber?
    /// Empty when the bank does not repeat it.
    package let iban: String

    /// - Throws: ``FinTSFailure`` for a segment without a document.
    init(_ segment: Segment) throws(FinTSFailure) {
        // HIEKP 1: document, receipt. HIEKP 2: document, days, day made, year, number, IBAN, …
        // HIEKA 3 and 4: format, days, document, three texts, IBAN, … HIEKA 5: format, days, day made, year, number,
        // document, three texts, IBAN, …
        let columns: (document: Int, days: Int?, created: Int?, year: Int?, number: Int?, iban: Int?)
        switch (segment.code, segment.version) {
        case ("HIEKP", 1): columns = (1, nil, nil, nil, nil, nil)
        case ("HIEKP", 2): columns = (1, 2, 3, 4, 5, 6)
        case ("HIEKA", 3), ("HIEKA", 4): columns = (3, 2, nil, nil, nil, 7)
        case ("HIEKA", 5): columns = (6, 2, 3, 4, 5, 10)
        default:
            throw FinTSFailure(.garbled, "the bank sent a statement in an unknown version of \(segment.code)")
        }
        guard let document = segment.element(columns.document).bytes else {
            throw FinTSFailure(.garbled, "the bank sent a statement without a document")
        }
        bytes = Self.decoded(document)
        if let column = columns.days, let first = segment.element(column, 1).date {
            let last = segment.element(column, 2).date ?? first
            guard first <= last else {
                throw FinTSFailure(.garbled, "the bank sent a statement whose last day is before its first")
            }
            days = first...last
        } else {
            days = nil
        }
        created = columns.created.flatMap { segment.element($0).date }
        let year = columns.year.flatMap { segment.element($0).number }
        let count = columns.number.flatMap { segment.element($0).number }
        number = if let year, let count { Job.StatementNumber(number: count, year: year) } else { nil }
        iban = columns.iban.flatMap { segment.element($0).text } ?? ""
    }

    /// Some banks send the PDF as Base64 (HIEKPS version 2, “Base64-codiert”), and some do so without saying it.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.starts(with: Array("JVBER".utf8)),
            let decoded = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters)
        else { return bytes }
        return Array(decoded)
    }
}

/// The balance of an account (HISAL).
package struct Balance: Sendable, Hashable {
    /// In the format of the bank: digits, and a comma before the cents; with a minus sign for a debit.
    package let amount: String
    package let currency: String
    package let date: CalendarDate?

    init?(_ segment: Segment) {
        let balance = segment.group(4)
        guard let sign = balance.element(1).text, ["C", "D"].contains(sign), let amount = balance.element(2).text,
            !amount.isEmpty, amount.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ",") }),
            let currency = balance.element(3).text
        else { return nil }
        self.amount = (sign == "D" ? "-" : "") + amount
        self.currency = currency
        date = balance.element(4).date
    }
}

/// The segments that answered a job, from all its parts in order.
package struct JobResults: Sendable {
    package let segments: [Segment]

    package init(_ segments: [Segment]) { self.segments = segments }

    /// The accounts of HISPA.
    package var accounts: [BankAccount] {
        segments.flatMap(\.groups).compactMap { group in
            guard group.count > 1 else { return nil }
            let account = BankAccount(
                iban: group.element(2).text ?? "", bic: group.element(3).text ?? "",
                number: group.element(4).text ?? "", subAccount: group.element(5).text ?? "",
                bankCode: group.element(7).text ?? "")
            return account.iban.isEmpty && account.number.isEmpty ? nil : account
        }
    }

    package var balances: [Balance] { segments.compactMap(Balance.init) }

    package var listedStatements: [ListedStatement] { segments.map(ListedStatement.init) }

    package func statements() throws(FinTSFailure) -> [SentStatement] {
        var statements: [SentStatement] = []
        for segment in segments { statements.append(try SentStatement(segment)) }
        return statements
    }

    /// The documents of HICAZ: one or more, each a whole XML file. Bookings that are only noted are left out.
    package var camtDocuments: [[UInt8]] { segments.flatMap { $0.group(3).compactMap(\.bytes) } }

    /// The IBANs that HICAZ names.
    package var camtAccounts: [String] { segments.compactMap { $0.element(1, 1).text }.filter { !$0.isEmpty } }

    /// The text of HIKAZ. A bank may cut it anywhere, so its parts are joined.
    package var mt940: [UInt8] { segments.flatMap { $0.element(1).bytes ?? [] } }
}
