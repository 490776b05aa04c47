import Clocks
import FileKinds

/// One file of statements that was read, and what is known of it beside its content.
struct ReadFile {
    /// A document of the archive: its bank, its account and its month.
    struct Place: Hashable {
        let bank: String
        /// Empty for a bank that lists no accounts.
        let account: String
        let period: MonthYear?
    }

    /// The places of its statements.
    let statements: Range<Int>
    let name: String
    /// The form of the file, such as `camt`.
    let form: String
    var place: Place?
}

/// Finds the files that have the bookings of another file in another form. A bank gives one month as CAMT and as CSV, with different
/// texts, and only one of them names the account: read together, they would be counted twice.
struct RepeatedStatements {
    /// The files that are read once already, by their positions.
    private(set) var repeated: Set<Int> = []
    private(set) var notes: [String] = []
    /// The number of files whose bookings are counted although another file may have them.
    private(set) var doubtful = 0

    /// Fewer amounts than this can be alike by chance where nothing says that the files are of one account.
    private static let telling = 3

    init(_ files: [ReadFile], _ statements: [Statement]) {
        guard files.count > 1 else { return }
        var alike: [[String: Int]: [Int]] = [:]
        for (index, file) in files.enumerated() {
            let bookings = Self.bookings(statements[file.statements])
            if !bookings.isEmpty { alike[bookings, default: []].append(index) }
        }
        for (bookings, indices) in alike where indices.count > 1 {
            let best = indices.sorted { Self.says(more: files[$0], than: files[$1], statements) }
            for (position, index) in best.enumerated() {
                guard
                    let other = best[..<position].first(where: {
                        !repeated.contains($0) && Self.mayRepeat(files[$0], files[index], bookings, statements)
                    })
                else { continue }
                let names = (Self.accounts(files[other], statements), Self.accounts(files[index], statements))
                let isOne = files[other].place.map { !$0.account.isEmpty } ?? false
                if isOne || names.1.isEmpty || names.0 == names.1 {
                    repeated.insert(index)
                    notes.append(
                        "\(files[index].name.inLine(limit: 200)) has the bookings of \(files[other].name.inLine(limit: 200)) "
                            + "in another form, so it is not read twice")
                } else {
                    doubtful += 1
                    notes.append(
                        "\(files[other].name.inLine(limit: 200)) and \(files[index].name.inLine(limit: 200)) have the same amounts "
                            + "for accounts of different names, and both are counted; if they are of one account, leave one out"
                    )
                }
            }
        }
        notes.sort()
        noteDifferences(files, statements)
    }

    /// Says it where two forms of one account's month have other amounts: neither can be left out.
    private mutating func noteDifferences(_ files: [ReadFile], _ statements: [Statement]) {
        var first: [ReadFile.Place: Int] = [:]
        for (index, file) in files.enumerated() where !repeated.contains(index) {
            guard let place = file.place, !place.account.isEmpty, place.period != nil,
                !Self.bookings(statements[file.statements]).isEmpty
            else { continue }
            guard let other = first[place] else {
                first[place] = index
                continue
            }
            guard files[other].form != file.form else { continue }
            doubtful += 1
            notes.append(
                "\(files[other].name.inLine(limit: 200)) and \(file.name.inLine(limit: 200)) are of one account and month and have "
                    + "different bookings, and all are counted; export one of the files alone")
        }
    }

    /// The amounts of final statements, and how many there are of each.
    private static func bookings(_ statements: ArraySlice<Statement>) -> [String: Int] {
        statements.lazy.filter { !$0.isInterim }.flatMap(\.transactions).reduce(into: [:]) {
            $0["\($1.amount) \($1.currency)", default: 0] += 1
        }
    }

    private static func dated(_ statements: ArraySlice<Statement>) -> [String: Int] {
        statements.lazy.filter { !$0.isInterim }.flatMap(\.transactions).reduce(into: [:]) {
            $0["\($1.booked) \($1.amount) \($1.currency)", default: 0] += 1
        }
    }

    private static func accounts(_ file: ReadFile, _ statements: [Statement]) -> Set<String> {
        Set(statements[file.statements].map(\.account).filter { !$0.isEmpty })
    }

    /// Returns whether two files with the same amounts may be two forms of one statement.
    private static func mayRepeat(
        _ file: ReadFile, _ other: ReadFile, _ bookings: [String: Int], _ statements: [Statement]
    ) -> Bool {
        guard file.form != other.form else { return false }
        switch (file.place, other.place) {
        case (let place?, let otherPlace?): return place == otherPlace && place.period != nil
        case (nil, nil):
            // Two accounts may have the same amounts, such as those of a standing order, on other days.
            return bookings.values.reduce(0, +) >= telling
                && dated(statements[file.statements]) == dated(statements[other.statements])
        default: return false
        }
    }

    /// Orders files by what they say beside their bookings: the account, then the balance.
    private static func says(more file: ReadFile, than other: ReadFile, _ statements: [Statement]) -> Bool {
        func rank(_ file: ReadFile) -> Int {
            (accounts(file, statements).isEmpty ? 0 : 2)
                + (statements[file.statements].allSatisfy { $0.closing != nil } ? 1 : 0)
        }
        let ranks = (rank(file), rank(other))
        return ranks.0 == ranks.1 ? file.statements.lowerBound < other.statements.lowerBound : ranks.0 > ranks.1
    }
}
