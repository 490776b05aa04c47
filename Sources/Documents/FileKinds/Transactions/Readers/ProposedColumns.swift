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
        let text = CSVRecords.withLineFeeds(try CSVReader.table(bytes, options).text)
        let lines = text.utf8.split(separator: 0x0A, maxSplits: 200).prefix(200).map { String(Substring($0)) }
        var best: Candidate?
        for delimiter in CSVRecords.delimiters {
            let rows = lines.map { Self.fields($0, delimiter) }
            guard let candidate = Candidate(rows) else { continue }
            if candidate.rows > best?.rows ?? 0 { best = candidate }
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

        init?(_ lines: [[String]]) {
            // The table is the lines with a date and an amount.
            let table = lines.filter { fields in
                fields.count > 1 && fields.contains(where: Candidate.isDate)
                    && fields.contains(where: Candidate.isAmount)
            }
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
            for (place, title) in header.enumerated() {
                guard let (role, rank) = ColumnTitles.role(of: title), rank < ranks[role] ?? Int.max,
                    Candidate.fits(role, column(place))
                else { continue }
                (roles[role], ranks[role]) = (place, rank)
            }
            let places = (0..<width).filter { header.isEmpty || $0 < header.count && !header[$0].isEmpty }
            let free = { (roles: [CSVColumns.Role: Int]) in places.filter { !roles.values.contains($0) } }
            if roles[.booked] == nil {
                roles[.booked] = free(roles).first { Candidate.fits(.booked, column($0)) }
            }
            if roles[.amount] == nil, roles[.debit] == nil || roles[.credit] == nil {
                let amounts = free(roles).filter { Candidate.fits(.amount, column($0)) }
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
            if roles[.purpose] == nil {
                roles[.purpose] = free(roles)
                    .filter { place in column(place).contains { $0.contains(where: \.isLetter) } }
                    .max { column($0).reduce(0) { $0 + $1.count } < column($1).reduce(0) { $0 + $1.count } }
            }
            guard let booked = roles[.booked],
                let amount = roles[.amount] ?? (roles[.credit] == nil ? nil : roles[.debit])
            else { return nil }
            let isTwoSided = roles[.amount] == nil
            (self.header, self.roles) = (header, roles)
            rows = table.count {
                $0.count > booked && Candidate.isDate($0[booked])
                    && (isTwoSided || $0.count > amount && Candidate.isAmount($0[amount]))
            }
            guard rows > 0 else { return nil }
        }

        func name(of place: Int) -> String { header.isEmpty ? String(place + 1) : header[place] }

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
