/// A declaration of the columns of a CSV file, found out from its header and from what its columns hold.
package struct ProposedColumns: Sendable {
    /// The declaration, as ``CSVColumns/init(_:)`` reads it.
    package let declaration: String
    /// The columns that have no role, by their names.
    package let others: [String]
    /// True when a column holds the currency.
    package let hasCurrency: Bool

    /// - Throws: ``ReadingError`` for a file without columns of dates and amounts.
    package init(for bytes: [UInt8], options: ReadingOptions = ReadingOptions()) throws(ReadingError) {
        try Self.checkKind(bytes)
        let text = CSVRecords.withLineFeeds(try CSVReader.table(bytes, options).text)
        let lines = text.utf8.split(separator: 0x0A, maxSplits: 200).prefix(200).map { String(Substring($0)) }
        var best: Candidate?
        for delimiter in CSVRecords.delimiters {
            // Lines before the table may have quotation marks of their own, and a text in the table may have several lines.
            for rows in [lines.map { Self.fields($0, delimiter) }, Self.records(lines, delimiter)] {
                guard let candidate = Candidate(rows) else { continue }
                if candidate.rows > best?.rows ?? 0 { best = candidate }
            }
        }
        if let best, let (one, other) = best.openSides {
            throw ReadingError(
                .ambiguous,
                "the columns \(best.name(of: one)) and \(best.name(of: other)) have an amount in turn, so one has what was paid; declare them as debit= and credit="
            )
        }
        guard let best else {
            throw ReadingError(
                .syntax,
                "no columns of dates and amounts are in the first 200 lines; the file is not a table of bookings")
        }
        var roles = best.roles
        // Both columns of debit and credit, or one amount.
        if roles[.debit] == nil || roles[.credit] == nil { (roles[.debit], roles[.credit]) = (nil, nil) }
        if roles[.amount] != nil { (roles[.debit], roles[.credit]) = (nil, nil) }
        if roles[.amount] == nil { roles[.sign] = nil }
        declaration = CSVColumns.Role.allCases
            .compactMap { role in roles[role].map { "\(role.rawValue)=\(best.name(of: $0))" } }.joined(separator: ",")
        let used = Set(roles.values)
        others = best.header.indices.filter { !used.contains($0) && !best.header[$0].isEmpty }.map { best.header[$0] }
        hasCurrency = roles[.currency] != nil
        // What is proposed can be read.
        _ = try CSVColumns(declaration)
    }

    /// - Throws: `wrongKind` for a file without columns, with the way to its bookings.
    private static func checkKind(_ bytes: [UInt8]) throws(ReadingError) {
        guard !SpreadsheetText.isOne(bytes) else { return }
        if let kind = TransactionFile.kind(of: bytes), kind != .csv {
            let name = kind == .camt ? "CAMT" : kind.rawValue.uppercased()
            throw ReadingError(
                .wrongKind, "the file is \(name), which needs no columns; countersign transactions reads it as it is")
        }
        guard let foreign = TransactionFile.foreignKind(bytes) else { return }
        let remedy =
            switch foreign {
            case "a ZIP archive":
                "unpack it and name one of its CSV files here; countersign transactions reads the archive itself, also with --columns for its CSV files"
            case "a PDF", "a picture", "an HTML page":
                "it has no columns that can be read; ask the bank for CSV, CAMT, MT940 or OFX of the same days"
            default: "name a CSV file or an XLSX spreadsheet"
            }
        throw ReadingError(.wrongKind, "the file is \(foreign); \(remedy)")
    }

    /// The records of the lines up to the first that is damaged, or cut off.
    private static func records(_ lines: [String], _ delimiter: UInt8) -> [[String]] {
        var records: [[String]] = []
        try? CSVRecords.read(lines.joined(separator: "\n"), delimiter: delimiter, limits: ReadingLimits()) {
            records.append($0.fields.map(\.folded))
        }
        return records
    }

    private static func fields(_ line: String, _ delimiter: UInt8) -> [String] {
        var fields: [String] = []
        try? CSVRecords.read(line, delimiter: delimiter, limits: ReadingLimits()) {
            fields = $0.fields.map(\.folded)
        }
        return fields
    }

    /// The table that results from one delimiter.
    private struct Candidate {
        /// Empty in a file without a header.
        let header: [String]
        let roles: [CSVColumns.Role: Int]
        /// The lines that have a date and an amount where the roles say.
        let rows: Int
        /// Two columns of which each line has an amount in one, if no title says which one has what was paid.
        private(set) var openSides: (Int, Int)?
        /// True when a column that is needed has no name, or one that stands twice.
        private var isNumbered = false

        init?(_ lines: [[String]]) {
            // The table is the lines with a date and an amount.
            let dated = lines.filter { fields in
                fields.count > 1 && fields.contains(where: Candidate.isDate)
                    && fields.contains(where: Candidate.isAmount)
            }
            // A balance before or after the table may have both, too, and has fewer fields than most lines.
            let common = Candidate.commonCount(dated)
            let table = dated.filter { $0.count >= common }
            let width = table.map(\.count).max() ?? 0
            guard width > 1, let first = lines.firstIndex(where: { $0 == table[0] }) else { return nil }
            func column(_ place: Int) -> [String] {
                table.map { $0.count > place ? $0[place] : "" }.filter { !$0.isEmpty }
            }
            let before = lines[..<first].filter { $0.count > 1 && !$0.contains(where: Candidate.isDate) }
            // A line of titles that are known, rather than the one just before the table.
            let known = before.last { fields in fields.count { ColumnTitles.role(of: $0) != nil } > 1 }
            let titles = known ?? before.last ?? []
            // A name that stands twice cannot be declared.
            let header = titles.map { title in
                titles.count { $0 == title } == 1 && !title.contains("=") && !title.contains(",") ? title : ""
            }
            var roles: [CSVColumns.Role: Int] = [:]
            var ranks: [CSVColumns.Role: Int] = [:]
            let hasFee = header.contains(where: ColumnTitles.isFee)
            for (place, title) in header.enumerated() {
                guard let (role, common) = ColumnTitles.role(of: title) else { continue }
                // Beside a fee, the amount is what is left when the fee is taken.
                let rank = hasFee && role == .amount && ColumnTitles.isNet(title) ? -1 : common
                guard rank < ranks[role] ?? Int.max,
                    Candidate.fits(role, column(place))
                else { continue }
                (roles[role], ranks[role]) = (place, rank)
            }
            // Without another party the account is the owner's, if one stands beside almost every line: the other party's
            // is often missing.
            if roles[.counterparty] == nil, roles[.account] == nil, let place = roles[.counterpartyAccount],
                ColumnTitles.isEitherAccount(header[place]), column(place).count * 10 >= table.count * 9,
                UndeclaredColumns.areFew(column(place))
            {
                (roles[.account], roles[.counterpartyAccount]) = (place, nil)
            }
            let named = (0..<width).filter { header.isEmpty || $0 < header.count && !header[$0].isEmpty }
            let places = named + (0..<width).filter { !named.contains($0) }
            let free = { (roles: [CSVColumns.Role: Int]) in places.filter { !roles.values.contains($0) } }
            if roles[.booked] == nil {
                roles[.booked] = free(roles).first { Candidate.fits(.booked, column($0)) }
            }
            if roles[.amount] == nil, roles[.debit] == nil || roles[.credit] == nil {
                let figures = free(roles).filter { Candidate.fits(.debit, column($0)) && !column($0).isEmpty }
                let titled = roles[.debit] ?? roles[.credit]
                let sides = Candidate.sides(among: (figures + [titled].compactMap(\.self)).sorted(), table)
                if let titled, let (one, other) = sides, one == titled || other == titled {
                    roles[roles[.debit] == nil ? .debit : .credit] = one == titled ? other : one
                } else if let sides {
                    openSides = sides
                    (roles[.debit], roles[.credit]) = sides
                }
            }
            if roles[.amount] == nil, roles[.debit] == nil || roles[.credit] == nil {
                let figures = free(roles).filter { Candidate.fits(.debit, column($0)) && !column($0).isEmpty }
                let amounts = figures.filter { column($0).count == table.count && Candidate.fits(.amount, column($0)) }
                // A column of running numbers has no decimals; a balance is rarely negative.
                roles[.amount] =
                    amounts.first { column($0).contains { WrittenAmount($0)?.isNegative == true } }
                    ?? amounts.first { column($0).contains { $0.contains(".") || $0.contains(",") } } ?? amounts.first
            }
            if roles[.sign] == nil, roles[.amount] != nil {
                // The kind of a booking may be the sign, if the amounts have none.
                let hasSigns = roles[.amount].map { column($0).contains { WrittenAmount($0)?.isNegative == true } }
                let kinds = hasSigns == false ? [roles[.code]].compactMap(\.self) : []
                roles[.sign] = (free(roles) + kinds).first { place in
                    let words = column(place)
                    return words.count == table.count
                        && words.allSatisfy { CSVColumns.knownSigns[$0.lowercased()] != nil }
                }
                if roles[.sign] == roles[.code] { roles[.code] = nil }
            }
            if roles[.currency] == nil, let amount = roles[.amount] ?? roles[.credit] {
                // The nearest one, as some files have a currency for each of their amounts.
                roles[.currency] = free(roles)
                    .filter { column($0).count == table.count && Candidate.fits(.currency, column($0)) }
                    .min { abs($0 - amount) < abs($1 - amount) }
            }
            if roles[.status] == nil {
                roles[.status] = free(roles).first { place in
                    let words = Set(column(place))
                    return words.count <= 4 && words.contains(where: CSVColumns.isUnbooked)
                        && words.allSatisfy { $0.count <= 24 }
                }
            }
            if roles[.purpose] == nil {
                roles[.purpose] = free(roles).filter { named.contains($0) }
                    .filter { $0 >= header.count || !ColumnTitles.isTimeZone(header[$0]) }
                    .filter { place in column(place).contains { $0.contains(where: \.isLetter) } }
                    .filter { !column($0).allSatisfy(UndeclaredColumns.isNumber) }
                    .max { column($0).reduce(0) { $0 + $1.count } < column($1).reduce(0) { $0 + $1.count } }
            }
            guard let booked = roles[.booked],
                let amount = roles[.amount] ?? (roles[.credit] == nil ? nil : roles[.debit])
            else { return nil }
            let isTwoSided = roles[.amount] == nil
            let needed: [CSVColumns.Role] = [.booked, .amount, .debit, .credit, .sign]
            isNumbered = needed.contains { role in roles[role].map { !named.contains($0) } ?? false }
            if !isNumbered { roles = roles.filter { named.contains($0.value) } }
            (self.header, self.roles) = (header, roles)
            rows = table.count {
                $0.count > booked && Candidate.isDate($0[booked])
                    && (isTwoSided || $0.count > amount && Candidate.isAmount($0[amount]))
            }
            guard rows > 0 else { return nil }
        }

        func name(of place: Int) -> String { header.isEmpty || isNumbered ? String(place + 1) : header[place] }

        /// The number of fields that the most lines have; 0 when no number is common.
        private static func commonCount(_ lines: [[String]]) -> Int {
            var counts: [Int: Int] = [:]
            for line in lines { counts[line.count, default: 0] += 1 }
            guard let most = counts.max(by: { $0.value < $1.value }), most.value * 2 > lines.count else { return 0 }
            return most.key
        }

        /// Returns two columns of amounts of which each line has exactly one.
        private static func sides(among places: [Int], _ table: [[String]]) -> (Int, Int)? {
            func has(_ place: Int, _ fields: [String]) -> Bool {
                guard place < fields.count, let written = WrittenAmount(fields[place]) else { return false }
                return written.digits.contains { ("1"..."9").contains($0) }
            }
            for one in places {
                for other in places where other > one && table.contains(where: { has(one, $0) }) {
                    guard table.contains(where: { has(other, $0) }),
                        table.allSatisfy({ has(one, $0) != has(other, $0) })
                    else { continue }
                    return (one, other)
                }
            }
            return nil
        }

        private static func isDate(_ text: String) -> Bool {
            guard (6...40).contains(text.count), text.contains(where: \.isNumber), !isAmount(text) || text.count == 8,
                !WrittenDates.isWords(text)
            else { return false }
            return ReadingOptions.DateOrder.allCases.contains { order in
                (try? WrittenDates(EmptyCollection<String>(), order: order).day(text, line: 1)) != nil
            }
        }

        private static func isAmount(_ text: String) -> Bool {
            guard let written = WrittenAmount(text), written.digits.utf8.count <= 18 else { return false }
            return (try? WrittenAmounts([text], mark: nil))?.amount(of: written) != nil
                || (try? WrittenAmounts([text], mark: "."))?.amount(of: written) != nil
        }

        private static func fits(_ role: CSVColumns.Role, _ values: [String]) -> Bool {
            switch role {
            case .booked, .valued: !values.isEmpty && values.allSatisfy(isDate)
            case .amount, .balance: !values.isEmpty && values.allSatisfy(isAmount)
            // A dash or nothing stands in the column of the other side.
            case .debit, .credit: values.allSatisfy { isAmount($0) || ["-", "–"].contains($0) }
            case .currency:
                !values.isEmpty && values.allSatisfy { Statement.isCurrency($0) }
            case .sign: !values.isEmpty && values.allSatisfy { CSVColumns.knownSigns[$0.lowercased()] != nil }
            default: true
            }
        }
    }
}
