import Clocks

/// The lines of a CSV file that have a day and an amount, and are sums or balances instead of transactions.
///
/// A word alone does not tell: a petrol company is called Total. So a line is left out only where its amount is the one that the
/// other lines lead to.
struct SummaryLines {
    struct Line {
        let line: Int
        /// All fields, in lower case and without a colon at the end; none of a line that the balances beside the
        /// lines count.
        let words: [String]
        /// One for each column of amounts, with the sign as written.
        let amounts: [Amount]
        /// The account beside the line; empty without a column for it.
        var account = ""
    }

    /// The lines that are left out, each with the reason.
    private(set) var left: [Int: String] = [:]
    /// The lines with such a word that count as transactions.
    private(set) var counted: [Int] = []
    /// The balances of each account that has both.
    private(set) var balances: [String: (opening: Amount, closing: Amount)] = [:]

    init(_ lines: [Line]) {
        findTotals(lines)
        let rest = lines.filter { left[$0.line] == nil }
        findBalances(rest)
        let accounts = Dictionary(grouping: rest, by: \.account)
        guard accounts.count > 1, !counted.isEmpty else { return }
        // The sums and balances of one account say nothing of another's.
        for lines in accounts.values {
            let own = SummaryLines(lines)
            left.merge(own.left) { first, _ in first }
            balances.merge(own.balances) { first, _ in first }
        }
        counted.removeAll { left[$0] != nil }
    }

    /// The text without what names a day: “Saldo per 31.03.2025”, “opening balance as of 1 March”. A number alone may
    /// be that of a shop: “Total 2451”.
    static func word(_ field: String) -> String {
        let isDated = field.lowercased().split(separator: " ").dropFirst().contains { word in
            prepositions.contains(word) || MonthWords.month(word) != nil
                || word.contains(where: \.isNumber) && word.contains { ".-/".contains($0) }
        }
        return isDated ? bareWord(field) : withoutColon(field.lowercased())
    }

    /// The text without numbers, days and prepositions at its end.
    static func bareWord(_ field: String) -> String {
        let lower = field.lowercased()
        let words = lower.split(separator: " ")
        let days = words.reversed().prefix { word in
            word.contains(where: \.isNumber) || prepositions.contains(word) || MonthWords.month(word) != nil
        }
        let word = days.isEmpty ? lower : words.dropLast(days.count).joined(separator: " ")
        return withoutColon(word)
    }

    private static func withoutColon(_ word: String) -> String { word.hasSuffix(":") ? String(word.dropLast()) : word }

    private static let prepositions: Set<Substring> = [
        "per", "am", "zum", "vom", "as", "of", "at", "on", "op", "au", "du", "le", "al", "a", "del", "na", "ke", "k",
        "den",
        "pr", "pr.", "dzień", "dne", "the", "=",
    ]

    /// Returns whether a field has one of the words, at little cost for the many that have none.
    static func isNamed(_ field: String) -> Bool {
        guard field.utf8.count <= 64, mayBeNamed(field) else { return false }
        let word = word(field.folded)
        return totals.contains(word) || openings.contains(word) || closings.contains(word)
    }

    private static func mayBeNamed(_ field: String) -> Bool {
        var letters: UInt32 = 0
        for byte in field.utf8.prefix(3) {
            guard byte < 0x80 else { return beginnings.contains(field.prefix(3).lowercased()) }
            // The bit makes a letter a small one.
            letters = letters << 8 | UInt32(byte | 0x20)
        }
        return asciiBeginnings.contains(letters)
    }

    static func hasTotalWord(_ words: [String]) -> Bool { words.contains { totals.contains($0) } }

    private static let isTotal = "the line is the total of the others, so it is left out"

    private static func isNamed(_ words: [String]) -> Bool {
        words.contains { totals.contains($0) || openings.contains($0) || closings.contains($0) }
    }

    private mutating func findTotals(_ lines: [Line]) {
        guard let width = lines.first?.amounts.count else { return }
        let zero = [Amount](repeating: .zero, count: width)
        func add(_ sum: [Amount], _ line: Line) -> [Amount] { zip(sum, line.amounts).map { $0 + $1 } }
        // Of all lines, and of those since the last total.
        var (all, part) = (zero, zero)
        var (allCount, partCount) = (0, 0)
        // Of what came and of what was paid, without the lines of balances, and the number of these bookings.
        var (received, paid) = (Amount.zero, Amount.zero)
        var (receivedCount, paidCount) = (0, 0)
        var (bookings, partBookings) = (0, 0)
        // A category of bookings may have such a word.
        var (categories, categorized): (Set<String>, Int) = ([], 0)
        let isBalanced = width == 1 && Self.isBalanced(lines)
        let end = lines.lastIndex { !Self.isNamed($0.words) } ?? -1
        // The side is in the word, or no line is of the other side.
        func isSide(_ line: Line) -> Bool {
            let amount = line.amounts[0]
            guard width == 1, amount != .zero else { return false }
            // The sum of one booking may be another one of the same amount.
            return amount == received && (receivedCount > 1 || isBalanced)
                || [paid, -paid].contains(amount) && (paidCount > 1 || isBalanced)
        }
        for (index, line) in lines.enumerated() {
            if Self.hasTotalWord(line.words) {
                let isLast = index > end
                let isName = line.words.allSatisfy { !Self.totals.contains($0) || Self.names.contains($0) }
                let isTurnover = line.words.contains { Self.turnovers.contains($0) }
                // One purchase at the company Total does not make the sum of a file another one.
                let isCategory =
                    isName
                    ? bookings > 0 && categorized == bookings : line.words.contains { categories.contains($0) }
                if !isCategory, !isName || isLast, index + 1 < lines.count, Self.hasTotalWord(lines[index + 1].words),
                    width == 1
                {
                    // Some banks write the turnover of each side.
                    let both = [line.amounts[0], lines[index + 1].amounts[0]]
                    let sides = [[received, paid], [received, -paid]].contains { $0 == both || $0.reversed() == both }
                    if sides, both != [.zero, .zero], allCount > 1 {
                        for side in [line, lines[index + 1]] { left[side.line] = Self.isTotal }
                    }
                }
                if left[line.line] != nil {
                    (part, partCount, partBookings) = (zero, 0, 0)
                    continue
                }
                let isAll = line.amounts == all
                let isPart = line.amounts == part
                let isSum =
                    isName
                    ? isLast && (isAll && allCount > 1 || isPart && partCount > 1)
                    : isTurnover
                        ? isSide(line) || isAll && bookings > 1 || isPart && partBookings > 1
                        : isAll && allCount > (isLast ? 0 : 1) || isPart && partCount > (left.isEmpty ? 1 : 0)
                if isSum, !isCategory {
                    left[line.line] = Self.isTotal
                    (part, partCount, partBookings) = (zero, 0, 0)
                    continue
                }
                let mayBeSum = isAll && allCount > (isLast ? 0 : 1) || isPart && partCount > 1
                if !isName || mayBeSum { counted.append(line.line) }
            }
            (all, part) = (add(all, line), add(part, line))
            let isBalance = line.words.contains { Self.openings.contains($0) || Self.closings.contains($0) }
            if !isBalance, line.amounts.contains(where: { $0 != .zero }) {
                (bookings, partBookings) = (bookings + 1, partBookings + 1)
                let words = line.words.filter { Self.totals.contains($0) }
                categories.formUnion(words)
                if !words.isEmpty { categorized += 1 }
                let amount = line.amounts[0]
                if amount.isNegative {
                    (paid, paidCount) = (paid + amount, paidCount + 1)
                } else {
                    (received, receivedCount) = (received + amount, receivedCount + 1)
                }
            }
            (allCount, partCount) = (allCount + 1, partCount + 1)
        }
    }

    /// Returns whether the lines without a word for a sum lead to the closing balance, and do not together with the others.
    private static func isBalanced(_ lines: [Line]) -> Bool {
        var (start, bookings, sums) = (Amount.zero, Amount.zero, Amount.zero)
        var (openings, closings): (Int, [Amount]) = (0, [])
        for line in lines {
            let amount = line.amounts[0]
            if line.words.contains(where: { Self.closings.contains($0) }) {
                closings.append(amount)
            } else if line.words.contains(where: { Self.openings.contains($0) }) {
                (start, openings) = (amount, openings + 1)
            } else if hasTotalWord(line.words) {
                sums = sums + amount
            } else {
                bookings = bookings + amount
            }
        }
        return openings <= 1 && closings.count == 1 && sums != .zero && start + bookings == closings[0]
    }

    private mutating func findBalances(_ lines: [Line]) {
        let openings = lines.filter { $0.amounts.count == 1 && $0.words.contains { Self.openings.contains($0) } }
        let closings = lines.filter { $0.amounts.count == 1 && $0.words.contains { Self.closings.contains($0) } }
        guard !openings.isEmpty || !closings.isEmpty else { return }
        let named = Set((openings + closings).map(\.line))
        let sum = lines.filter { !named.contains($0.line) }.reduce(Amount.zero) { $0 + $1.amounts[0] }
        let start = openings.first?.amounts[0] ?? .zero
        guard openings.count <= 1, closings.count == 1, named.count < lines.count, start + sum == closings[0].amounts[0]
        else {
            counted += named.sorted()
            return
        }
        let accounts = Set(lines.map(\.account)).subtracting([""])
        if !openings.isEmpty, accounts.count <= 1 {
            balances[accounts.first ?? ""] = (start, closings[0].amounts[0])
        }
        for line in openings { left[line.line] = "the line is the opening balance, so it is not a transaction" }
        left[closings[0].line] = "the line is the closing balance, so it is not a transaction"
    }

    /// The first letters of all words.
    private static let beginnings = Set(totals.union(openings).union(closings).map { String($0.prefix(3)) })

    /// The same of ASCII, as the number that the bytes make.
    private static let asciiBeginnings = Set(
        beginnings.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.map { $0.utf8.reduce(0) { $0 << 8 | UInt32($1 | 0x20) } }
    )

    /// The words for what came, or for what was paid.
    private static let turnovers: Set<String> = [
        "turnover", "turnovers", "debit turnover", "credit turnover", "umsatzsumme", "omsättning", "omsetning",
        "omsætning", "liikevaihto", "käive", "apgrozījums", "apyvarta", "obroty", "suma obrotów", "обороты", "оборот",
    ]

    private static let totals: Set<String> = turnovers.union([
        "total", "totals", "subtotal", "grand total", "total amount", "sum", "summe", "gesamt", "gesamtsumme",
        "gesamtbetrag",
        "zwischensumme",
        "totaal",
        "totale", "totales", "suma", "summa", "razem", "celkem", "összesen", "yhteensä", "i alt", "итого",
    ])

    /// The words that are also names of companies.
    private static let names: Set<String> = ["total", "totals", "totale", "totaal", "sum", "suma", "summa"]

    private static let openings: Set<String> = [
        "opening balance", "beginning balance", "balance brought forward", "brought forward", "starting balance",
        "previous balance",
        "anfangssaldo", "saldovortrag", "alter kontostand", "alter saldo", "beginsaldo", "solde initial",
        "ancien solde",
        "saldo inicial", "saldo iniziale", "saldo początkowe", "počáteční zůstatek", "nyitó egyenleg",
        "ingående saldo",
        "inngående saldo", "alkusaldo", "algsaldo", "sākuma atlikums", "likutis pradžiai", "входящий остаток",
    ]

    private static let closings: Set<String> = [
        "closing balance", "balance carried forward", "carried forward", "ending balance", "new balance", "balance",
        "endsaldo", "schlusssaldo", "neuer kontostand", "neuer saldo", "kontostand", "saldo", "eindsaldo",
        "solde final",
        "nouveau solde", "solde", "saldo final", "saldo finale", "saldo końcowe", "konečný zůstatek",
        "záró egyenleg", "utgående saldo", "loppusaldo", "lõppsaldo", "beigu atlikums", "likutis pabaigai",
        "исходящий остаток",
    ]
}
