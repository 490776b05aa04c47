/// Reads QIF, Quicken's interchange format: records of lines that begin with a letter, each ended by `^`.
///
/// Source: Intuit, Quicken Interchange Format. It has neither currency nor balances nor ids, and does not say the order of
/// day and month.
enum QIFReader {
    static func read(_ bytes: [UInt8], _ options: ReadingOptions) throws(ReadingError) -> [Statement] {
        guard Statement.isCurrency(options.currency) else {
            throw ReadingError(.ambiguous, "QIF names no currency; give it with --currency, such as --currency EUR")
        }
        var account = options.account
        var records: [(line: Int, fields: [Character: String])] = []
        var fields: [Character: String] = [:]
        var section = ""
        var start = 1
        var number = 0
        for raw in try TextDecoding.text(bytes).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let line = raw.folded
            guard let letter = line.first else { continue }
            guard line.utf8.count <= options.limits.text else {
                throw ReadingError(.tooLarge, line: number, "a line is longer than \(options.limits.text) bytes")
            }
            if letter == "!" {
                section = line.lowercased()
                guard !section.hasPrefix("!type:invst") else {
                    throw ReadingError(
                        .wrongKind, line: number,
                        "an investment account (!Type:Invst) is not read; export the bank account")
                }
            } else if letter == "^" {
                if section == "!account" {
                    if account.isEmpty { account = fields["N"] ?? "" }
                } else if isAccount(section), !fields.isEmpty {
                    guard records.count < options.limits.transactions else {
                        throw ReadingError(
                            .tooLarge, line: number, "more than \(options.limits.transactions) transactions")
                    }
                    records.append((start, fields))
                }
                fields = [:]
            } else {
                if fields.isEmpty { start = number }
                // Of the lines of a split (S, E, $) and an address (A) none is needed.
                if fields[letter] == nil { fields[letter] = String(line.dropFirst()).folded }
            }
        }
        guard fields.isEmpty else {
            throw ReadingError(
                .syntax, line: start, "the last record does not end with “^”; the file is cut off, so export it again")
        }
        guard isAccount(section) || !records.isEmpty else {
            throw ReadingError(
                .wrongKind,
                "the file has no “!Type:Bank”, “!Type:CCard”, “!Type:Cash” or “!Type:Oth”; it is not a QIF file of an account"
            )
        }
        let dates = try WrittenDates(
            records.map { $0.fields["D"] ?? "" }, order: records.isEmpty ? .dayMonthYear : options.dateOrder)
        var statement = Statement(account: account, currency: options.currency)
        for record in records {
            let text = (record.fields["T"] ?? record.fields["U"] ?? "").compact
            guard let amount = Amount(text.filter { $0 != "," }) else {
                throw ReadingError(
                    .amount, line: record.line,
                    "the amount (T) is \(ReadingError.quoted(text)); expected one such as -1,234.50")
            }
            var made = Transaction(
                booked: try dates.day(record.fields["D"] ?? "", line: record.line), amount: amount,
                currency: options.currency)
            made.counterparty = record.fields["P"] ?? ""
            made.purpose = record.fields["M"] ?? ""
            made.payerReference = record.fields["N"] ?? ""
            made.code = record.fields["L"] ?? ""
            statement.transactions.append(made)
        }
        statement.complete()
        return [statement]
    }

    private static func isAccount(_ section: String) -> Bool {
        ["!type:bank", "!type:ccard", "!type:cash", "!type:oth a", "!type:oth l"].contains(section)
    }
}
