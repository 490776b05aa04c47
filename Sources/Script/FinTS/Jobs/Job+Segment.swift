import Clocks

extension Job {
    /// Returns the segment that asks the bank.
    ///
    /// - Parameters:
    ///   - version: one of ``versions``.
    ///   - touchDown: the place where the next part begins (“Aufsetzpunkt”); nil for the first part.
    ///   - national: true if the bank takes the national form of an account beside IBAN and BIC.
    package func segment(version: Int, touchDown: String?, national: Bool) -> Segment {
        Segment(code, version: version, groups(version: version, [.word(touchDown ?? "")], national: national))
    }

    private func groups(version: Int, _ touchDown: ElementGroup, national: Bool) -> [ElementGroup] {
        // The column “Maximale Anzahl Einträge” stays empty: the bank decides how much fits into a message.
        let rest: [ElementGroup] = [[], touchDown]
        func place(_ account: BankAccount, nationalUpTo last: Int) -> ElementGroup {
            version <= last ? account.national : account.international(withNational: national)
        }
        switch self {
        case .accounts:
            return version == 1 ? [] : [[]] + rest
        case .balance(let account):
            return [place(account, nationalUpTo: 6), [.yes(false)]] + rest
        case .statementList(let account):
            return [place(account, nationalUpTo: 1)] + rest
        case .pdfStatement(let account, let number):
            return [account.international(withNational: national)] + Self.groups(number) + rest
        case .statement(let account, let number):
            // 3 is the format for print (“Kontoauszugsformat”).
            return [place(account, nationalUpTo: 3), [.text("3")]] + Self.groups(number) + rest
        case .camt(let account, let days, let formats):
            return [account.international(withNational: national), formats.map { .word($0) }, [.yes(false)]]
                + Self.groups(days) + rest
        case .mt940(let account, let days):
            return [place(account, nationalUpTo: 6), [.yes(false)]] + Self.groups(days) + rest
        }
    }

    private static func groups(_ number: StatementNumber?) -> [ElementGroup] {
        number.map { [[.number($0.number)], [.number($0.year)]] } ?? [[], []]
    }

    private static func groups(_ days: ClosedRange<CalendarDate>?) -> [ElementGroup] {
        days.map { [[.date($0.lowerBound)], [.date($0.upperBound)]] } ?? [[], []]
    }
}

extension DataElement {
    /// A day as eight digits (FinTS 3.0, Formals, chapter B.4: “dat”).
    static func date(_ date: CalendarDate) -> DataElement { .text(date.description.filter { $0 != "-" }) }

    /// The day that eight digits stand for; nil for anything else.
    var date: CalendarDate? {
        guard let text, text.utf8.count == 8 else { return nil }
        let digits = Array(text)
        return CalendarDate("\(String(digits[0..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))")
    }
}
