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

    fileprivate var shownName: String { name.inLine(limit: 200) }
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
        let bookings = files.map { file in
            Self.counts(of: statements[file.statements]) { "\($0.amount) \($0.currency)" }
        }
        let accounts = files.map { Set(statements[$0.statements].map(\.account).filter { !$0.isEmpty }) }
        // A file that names its account is preferred, then one that has its closing balance.
        let ranks = files.indices.map { index in
            (accounts[index].isEmpty ? 0 : 2)
                + (statements[files[index].statements].allSatisfy { $0.closing != nil } ? 1 : 0)
        }
        let alike = Dictionary(grouping: files.indices.filter { !bookings[$0].isEmpty }) { bookings[$0] }
        for (amounts, indices) in alike where indices.count > 1 {
            let best = indices.sorted { ranks[$0] == ranks[$1] ? $0 < $1 : ranks[$0] > ranks[$1] }
            for (position, index) in best.enumerated() {
                guard
                    let other = best[..<position].first(where: {
                        !repeated.contains($0) && Self.mayRepeat(files[$0], files[index], amounts, statements)
                    })
                else { continue }
                let isOne = files[other].place.map { !$0.account.isEmpty } ?? false
                if isOne || accounts[index].isEmpty || accounts[other] == accounts[index] {
                    repeated.insert(index)
                    notes.append(
                        "\(files[index].shownName) has the bookings of \(files[other].shownName) in another form, so it is not "
                            + "read twice")
                } else {
                    doubtful += 1
                    notes.append(
                        "\(files[other].shownName) and \(files[index].shownName) have the same amounts for accounts of different "
                            + "names, and both are counted; if they are of one account, leave one out")
                }
            }
        }
        notes.sort()
        noteDifferences(files.indices.filter { !bookings[$0].isEmpty && !repeated.contains($0) }.map { files[$0] })
    }

    /// Says it where two forms of one account's month have other amounts: neither can be left out.
    private mutating func noteDifferences(_ files: [ReadFile]) {
        var first: [ReadFile.Place: ReadFile] = [:]
        for file in files {
            guard let place = file.place, !place.account.isEmpty, place.period != nil else { continue }
            guard let other = first[place] else {
                first[place] = file
                continue
            }
            guard other.form != file.form else { continue }
            doubtful += 1
            notes.append(
                "\(other.shownName) and \(file.shownName) are of one account and month and have different bookings, and all are "
                    + "counted; export one of the files alone")
        }
    }

    /// Counts the bookings of final statements that have the same words.
    private static func counts(
        of statements: ArraySlice<Statement>, by words: (Transaction) -> String
    ) -> [String: Int] {
        var counts: [String: Int] = [:]
        for statement in statements where !statement.isInterim {
            for booking in statement.transactions { counts[words(booking), default: 0] += 1 }
        }
        return counts
    }

    /// Returns whether two files with the same amounts may be two forms of one statement.
    private static func mayRepeat(
        _ file: ReadFile, _ other: ReadFile, _ amounts: [String: Int], _ statements: [Statement]
    ) -> Bool {
        guard file.form != other.form else { return false }
        switch (file.place, other.place) {
        case (let place?, let otherPlace?): return place == otherPlace && place.period != nil
        case (nil, nil):
            // Two accounts may have the same amounts, such as those of a standing order, on other days.
            let days = [file, other].map { file in
                counts(of: statements[file.statements]) { "\($0.booked) \($0.amount) \($0.currency)" }
            }
            return amounts.values.reduce(0, +) >= telling && days[0] == days[1]
        default: return false
        }
    }
}
