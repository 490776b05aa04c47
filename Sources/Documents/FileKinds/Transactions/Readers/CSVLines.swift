import Encodings

/// The lines of a CSV file after its header, and where the declared columns are.
struct CSVLines {
    private(set) var places: [CSVColumns.Role: Int]
    /// The same by the role's number: a dictionary hashes the name of the role, and each field of a file is looked up.
    private let placesByNumber: [Int?]
    private(set) var records: [CSVRecords.Record] = []
    /// The header's names; empty in a file without a header.
    private(set) var header: [String] = []
    /// The fields of the header, or of the widest line without one.
    private(set) var width: Int
    let delimiter: UInt8
    /// The lines before the header, in which banks state the account and its days.
    private(set) var preamble: [String] = []
    /// True when the last line has an end: one without may be half a line.
    let endsWhole: Bool
    /// True when quotation marks stand inside fields without being doubled.
    private(set) var hasLooseQuotes = false

    /// - Throws: ``ReadingError`` when no line is the header, and for a file that is cut off.
    init(_ text: String, _ columns: CSVColumns, _ limits: ReadingLimits) throws(ReadingError) {
        let text = CSVRecords.withLineFeeds(text)
        endsWhole = text.utf8.last == 0x0A
        var headerLine = 0
        if let places = columns.places {
            (self.places, width) = (places, 0)
            delimiter = Self.delimiter(text, places)
        } else {
            (delimiter, places, header, headerLine) = try Self.header(text, columns)
            width = header.count
            preamble = text.utf8.split(separator: 0x0A, maxSplits: headerLine, omittingEmptySubsequences: false)
                .prefix(max(0, headerLine - 1)).filter { $0.count < 1 << 10 }.map { String(Substring($0)) }
        }
        var byNumber = [Int?](repeating: nil, count: CSVColumns.Role.allCases.count)
        for (role, place) in places { byNumber[role.number] = place }
        placesByNumber = byNumber
        // What precedes the header may have quotation marks of its own.
        let body =
            text.utf8.split(separator: 0x0A, maxSplits: headerLine, omittingEmptySubsequences: false)
            .dropFirst(headerLine).first.map { String(Substring($0)) } ?? ""
        do throws(ReadingError) {
            try read(body, delimiter, limits, from: headerLine + 1, loosely: false)
        } catch {
            guard error.code == .syntax else { throw error }
            records = []
            let strict = error
            do throws(ReadingError) {
                try read(body, delimiter, limits, from: headerLine + 1, loosely: true)
            } catch {
                throw error.code == .syntax ? strict : error
            }
            hasLooseQuotes = true
        }
        if header.isEmpty { width = records.map(\.fields.count).max() ?? 0 }
    }

    /// Returns the place of a column, from 0; nil for one that is not declared.
    func place(_ role: CSVColumns.Role) -> Int? { placesByNumber[role.number] }

    private mutating func read(
        _ body: String, _ delimiter: UInt8, _ limits: ReadingLimits, from first: Int, loosely: Bool
    ) throws(ReadingError) {
        var kept: [CSVRecords.Record] = []
        let mostFields = header.isEmpty ? Int.max : width
        try CSVRecords.read(body, delimiter: delimiter, limits: limits, from: first, loosely: loosely) {
            record throws(ReadingError) in
            guard kept.count < limits.transactions else {
                throw ReadingError(
                    .tooLarge, line: record.line, "more than \(limits.transactions) transactions; split the file")
            }
            var record = record
            // Some banks end lines with more delimiters than the header.
            while record.fields.count > mostFields, record.fields.last?.isEmpty == true { record.fields.removeLast() }
            record.cells = record.isPlain ? record.fields : record.fields.map(Self.cell)
            kept.append(record)
        }
        records = kept
    }

    private static func cell(_ field: String) -> String {
        let text = FormulaGuard.unguarded(field).folded
        // A formula that is a text, as `="0012"`, keeps spreadsheet programs from changing it.
        return text.utf8.first == UInt8(ascii: "=") && text.hasPrefix("=\"") && text.hasSuffix("\"") && text.count > 2
            ? String(text.dropFirst(2).dropLast()) : text
    }

    private static func header(
        _ text: String, _ columns: CSVColumns
    ) throws(ReadingError) -> (UInt8, [CSVColumns.Role: Int], [String], Int) {
        var number = 0
        // The line that has the most of the names is likely the header.
        var nearest: (count: Int, line: Int, missing: [String]) = (0, 0, [])
        for line in text.utf8.split(separator: 0x0A, maxSplits: 50, omittingEmptySubsequences: false).prefix(50) {
            number += 1
            guard line.count < 64 << 10 else { continue }
            for delimiter in CSVRecords.delimiters {
                let fields = fields(line, delimiter)
                let places = columns.names.compactMapValues { fields.firstIndex(of: $0) }
                guard places.count == columns.names.count else {
                    let missing = columns.names.filter { places[$0.key] == nil }.map { ReadingError.quoted($0.value) }
                    if places.count > nearest.count { nearest = (places.count, number, missing.sorted()) }
                    continue
                }
                for name in columns.names.values where fields.count(where: { $0 == name }) > 1 {
                    throw ReadingError(.ambiguous, line: number, "the header has \(ReadingError.quoted(name)) twice")
                }
                return (delimiter, places, fields, number)
            }
        }
        guard nearest.count == 0 else {
            throw ReadingError(
                .syntax, line: nearest.line,
                "the header has no column \(nearest.missing.joined(separator: ", ")); compare --columns with it, or let countersign archive columns FILE propose them"
            )
        }
        let names = columns.names.values.sorted().map { ReadingError.quoted($0) }.joined(separator: ", ")
        throw ReadingError(
            .syntax, "none of the first 50 lines has the columns \(names); compare them with the file's header")
    }

    /// The delimiter with which the most of the first lines have a date where the declaration says.
    private static func delimiter(_ text: String, _ places: [CSVColumns.Role: Int]) -> UInt8 {
        let lines: [Substring.UTF8View] = text.utf8.split(separator: 0x0A, maxSplits: 50).prefix(50)
            .filter { $0.count < 64 << 10 }
        let booked = places[.booked] ?? 0
        let last = places.values.max() ?? 0
        func count(_ delimiter: UInt8) -> Int {
            lines.count { line in
                let fields = fields(line, delimiter)
                return fields.count > last && !WrittenDates.isWords(fields[booked])
            }
        }
        return CSVRecords.delimiters.max { count($0) < count($1) } ?? CSVRecords.delimiters[0]
    }

    /// A line of the preamble need not be CSV, and then has no fields.
    private static func fields(_ line: Substring.UTF8View, _ delimiter: UInt8) -> [String] {
        var fields: [String] = []
        try? CSVRecords.read(String(Substring(line)), delimiter: delimiter, limits: ReadingLimits()) {
            fields = $0.fields.map(\.folded)
        }
        return fields
    }
}
