/// The columns that a declaration leaves out, and that would change the transactions.
struct UndeclaredColumns {
    private let header: [String]
    private let records: [CSVRecords.Record]
    /// The places of the columns that are not declared.
    private let places: [Int]

    /// The most columns that are looked at: those of banks have fewer.
    private static let most = 200
    /// The most words of a column that says whether lines are booked.
    static let mostWords = 8

    init(header: [String], records: [CSVRecords.Record], declared: Set<Int>) {
        (self.header, self.records) = (header, records)
        // A file without a header has columns all the same.
        let width = header.isEmpty ? records.map(\.fields.count).max() ?? 0 : header.count
        places = (0..<width).prefix(Self.most).filter { !declared.contains($0) }
    }

    private func title(_ place: Int) -> String { place < header.count ? header[place] : "" }

    /// The column's name as `--columns` takes it: its number in a file without a header.
    private func name(_ place: Int) -> String { header.isEmpty ? String(place + 1) : header[place] }

    /// Returns whether each of a few values stands beside several lines, as the owner's accounts do.
    static func areFew(_ values: [String]) -> Bool {
        let count = Set(values.prefix(1_000)).count
        return count == 1 || count <= mostWords && values.count >= 2 * count
    }

    /// Says that lines are not booked by a column that is not named as the one that says so.
    func pending() -> String? {
        for place in places {
            // A column of texts may have such a word, and has many others, too.
            var counts: [String: Int] = [:]
            for record in records where counts.count <= Self.mostWords { counts[field(place, record), default: 0] += 1 }
            guard counts.count <= Self.mostWords else { continue }
            let unbooked = counts.reduce(0) { $0 + (CSVColumns.isUnbooked($1.key) ? $1.value : 0) }
            guard unbooked > 0 else { continue }
            return
                "lines that are not booked by the column \(ReadingError.quoted(name(place))) are counted: \(unbooked); add status=\(name(place)) to --columns to leave them out"
        }
        return nil
    }

    /// Says that a column has fees, which are not in the amounts of some banks.
    func fees() -> String? {
        for place in places where ColumnTitles.isFee(title(place)) {
            let count = records.count { WrittenAmount(field(place, $0))?.hasValue == true }
            guard count > 0 else { continue }
            return
                "the column \(ReadingError.quoted(header[place])) has amounts that are not added to those of the transactions: \(count); if the account's balance counts them, add fee=\(header[place]) to --columns"
        }
        return nil
    }

    /// Says that lines are in other currencies than the one that is taken for all of them.
    func currencies(than currency: String) -> String? {
        for place in places where ColumnTitles.role(of: title(place))?.role == .currency {
            let values = records.lazy.map { field(place, $0) }.filter { !$0.isEmpty }
            guard values.allSatisfy({ Statement.isCurrency($0) }) else { continue }
            let others = values.filter { $0 != currency }
            guard !others.isEmpty else { continue }
            let names = Set(others).sorted().prefix(5).joined(separator: ", ")
            return
                "lines that are not in \(currency) by the column \(ReadingError.quoted(header[place])), but in \(names), are counted in \(currency): \(others.count); add currency=\(header[place]) to --columns"
        }
        return nil
    }

    /// Says that lines may be those of several accounts, which are taken for one.
    func accounts() -> String? {
        for place in places where ColumnTitles.mayBeAccount(title(place)) || holdsAccounts(place) {
            // A column of the other party's accounts has many values.
            var values: Set<String> = []
            for record in records where values.count <= Self.mostWords {
                let value = field(place, record)
                if !value.isEmpty { values.insert(value) }
            }
            guard (2...Self.mostWords).contains(values.count) else { continue }
            return
                "the column \(ReadingError.quoted(name(place))) has \(values.count) different values, so the lines may be those of several accounts, and they are read as one; if they are, add account=\(name(place)) to --columns"
        }
        return nil
    }

    /// Returns whether a column whose title is not known has the number of an account in each line, of a few accounts.
    private func holdsAccounts(_ place: Int) -> Bool {
        guard ColumnTitles.role(of: title(place)) == nil, let first = records.first, Self.isNumber(field(place, first))
        else { return false }
        let values = records.map { field(place, $0) }
        return Self.areFew(values) && Set(values).allSatisfy(Self.isNumber)
    }

    /// Returns whether a text may be the number of an account: an IBAN (ISO 13616), or many digits that are not a date.
    static func isNumber(_ text: String) -> Bool {
        let compact = text.compact
        if compact.wholeMatch(of: /[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}/) != nil { return true }
        guard (7...18).contains(compact.utf8.count), compact.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        return !ReadingOptions.DateOrder.allCases.contains { order in
            (try? WrittenDates(EmptyCollection<String>(), order: order).day(compact, line: 1)) != nil
        }
    }

    private func field(_ place: Int, _ record: CSVRecords.Record) -> String {
        place < record.fields.count ? record.fields[place].folded : ""
    }
}
