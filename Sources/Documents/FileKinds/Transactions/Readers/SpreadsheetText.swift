import Markup

/// The table of a spreadsheet as CSV, for the reader of declared columns.
///
/// Source: ECMA-376, part 1, sections 18.2 (workbook), 18.3 (worksheets), 18.4 (shared strings) and 18.8 (number formats). Of several
/// sheets the first that is shown and has the declared columns is read. Numbers have a decimal point and the currency of their
/// format, and dates are written as 2025-03-31.
struct SpreadsheetText {
    private(set) var text = ""
    /// A sentence where other sheets are left out, or hidden rows are read.
    private(set) var note: String?

    private var strings: [String] = []
    /// The number format of each style of cells.
    private var formats: [NumberFormat] = []
    private var beginsIn1904 = false
    /// The rows of the table that a filter or a person has hidden.
    private var hiddenRows = 0
    /// The name of the first cell that a row has twice, such as `C2`.
    private var repeatedCell: String?

    /// Returns whether the bytes are a spreadsheet, and not another ZIP archive.
    static func isOne(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: ZIPEntries.localMark) && ZIPEntries.names(in: bytes).contains("xl/workbook.xml")
    }

    private struct Sheet {
        let name: String
        let part: String
        var isHidden = false
    }

    /// - Parameter titles: those that the table's header has to have, to choose among several sheets.
    /// - Throws: ``ReadingError`` for a spreadsheet that is damaged, made to do harm, or without a sheet.
    init(_ bytes: [UInt8], titles: [String] = [], limits: ReadingLimits) throws(ReadingError) {
        do throws(FileRefusal) {
            let entries = try ZIPEntries(bytes, limits: FileLimits())
            let all = try sheets(entries)
            let shown = all.filter { !$0.isHidden }
            guard let first = shown.first ?? all.first else {
                throw FileRefusal(.damaged, "the spreadsheet has no sheet; save its table as CSV")
            }
            try read("xl/sharedStrings.xml", entries) { book, element in
                guard element.name == "si" else { return false }
                book.strings.append(Self.text(of: element))
                return true
            }
            try readStyles(entries)
            var chosen = first
            for sheet in shown.prefix(Self.most) {
                try readRows(of: sheet, entries, limits)
                chosen = sheet
                if has(titles) { break }
            }
            if !has(titles) {
                try readRows(of: first, entries, limits)
                chosen = first
            }
            if let repeatedCell {
                throw FileRefusal(
                    .damaged, "the spreadsheet has the cell \(ReadingError.quoted(repeatedCell)) twice; save it anew")
            }
            var sentences: [String] = []
            if all.count > 1 {
                let others = all.filter { $0.part != chosen.part }.prefix(3).map { ReadingError.quoted($0.name) }
                sentences.append(
                    "of \(all.count) sheets only \(ReadingError.quoted(chosen.name)) is read, and not \(others.joined(separator: ", "))\(all.count > 4 ? " and others" : ""); save another one as a file of its own"
                )
            }
            if hiddenRows > 0 {
                sentences.append("rows that the spreadsheet hides, as a filter does, are read as well: \(hiddenRows)")
            }
            if !sentences.isEmpty { note = sentences.joined(separator: "; ") }
        } catch {
            throw ReadingError(error.code == .tooLarge ? .tooLarge : .syntax, "\(error)")
        }
    }

    /// The most sheets in which the declared columns are looked for.
    private static let most = 50

    /// The sheets in the order in which they are shown. A workbook that does not tell their parts has them in the order of the
    /// parts' names.
    private mutating func sheets(_ entries: ZIPEntries) throws(FileRefusal) -> [Sheet] {
        var listed: [(name: String, id: String, isHidden: Bool)] = []
        try read("xl/workbook.xml", entries) { book, element in
            if element.name == "workbookPr" {
                book.beginsIn1904 = ["1", "true"].contains(element.attributes["date1904"] ?? "")
            } else if element.name == "sheet" {
                listed.append(
                    (
                        element.attributes["name"] ?? "", element.attributes["id"] ?? "",
                        element.attributes["state"]?.lowercased().hasSuffix("hidden") == true
                    ))
            }
            return false
        }
        var parts: [String: String] = [:]
        try read("xl/_rels/workbook.xml.rels", entries) { _, element in
            if let id = element.attributes["Id"], let target = element.attributes["Target"] {
                parts[id] = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/" + target
            }
            return false
        }
        let found = listed.compactMap { sheet -> Sheet? in
            guard let part = parts[sheet.id], part.hasPrefix("xl/worksheets/"), entries.entry(part) != nil else {
                return nil
            }
            return Sheet(name: sheet.name, part: part, isHidden: sheet.isHidden)
        }
        if !found.isEmpty { return found }
        let names = entries.entries.map(\.name).filter { $0.hasPrefix("xl/worksheets/") && $0.hasSuffix(".xml") }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { part in
            Sheet(name: String(part.dropFirst("xl/worksheets/".count).dropLast(".xml".count)), part: part)
        }
    }

    private mutating func readRows(
        of sheet: Sheet, _ entries: ZIPEntries, _ limits: ReadingLimits
    ) throws(FileRefusal) {
        (text, hiddenRows, repeatedCell) = ("", 0, nil)
        try read(sheet.part, entries) { book, element in
            guard element.name == "row" else { return false }
            if ["1", "true"].contains(element.attributes["hidden"] ?? "") { book.hiddenRows += 1 }
            book.add(element, limits)
            return true
        }
    }

    /// Returns whether one of the first lines has all titles.
    private func has(_ titles: [String]) -> Bool {
        text.utf8.split(separator: 0x0A, maxSplits: 50).prefix(50).contains { line in
            let line = String(Substring(line))
            return titles.allSatisfy { line.contains("\"\($0.escaping(["\"": "\"\""]))\"") }
        }
    }

    private mutating func read(
        _ name: String, _ entries: ZIPEntries, _ finished: (inout SpreadsheetText, MarkupElement) -> Bool
    ) throws(FileRefusal) {
        guard let entry = entries.entry(name) else { return }
        let part = try entries.content(of: entry)
        var book = self
        self.text = ""
        do {
            try XMLRecords.read(part) { finished(&book, $0) }
        } catch {
            throw FileRefusal(.damaged, "the spreadsheet's part \(name): \(error)")
        }
        self = book
    }

    private mutating func readStyles(_ entries: ZIPEntries) throws(FileRefusal) {
        var own: [String: NumberFormat] = [:]
        var styles: [String] = []
        try read("xl/styles.xml", entries) { _, element in
            switch element.name {
            case "numFmt":
                own[element.attributes["numFmtId"] ?? ""] = NumberFormat(code: element.attributes["formatCode"] ?? "")
                return true
            case "cellXfs":
                styles = element.all("xf").map { $0.attributes["numFmtId"] ?? "" }
                return true
            default: return false
            }
        }
        formats = styles.map { style in
            own[style] ?? CalendarDay.number(style.utf8).map { NumberFormat(number: $0) } ?? .plain
        }
    }

    private static func text(of element: MarkupElement) -> String {
        let direct = element.all("t").map(\.text)
        return (direct.isEmpty ? element.all("r").flatMap { $0.all("t").map(\.text) } : direct).joined().folded
    }

    /// Writes a row as a line of CSV whose number is that of the row.
    private mutating func add(_ row: MarkupElement, _ limits: ReadingLimits) {
        var (fields, written): ([String], Set<Int>) = ([], [])
        for cell in row.all("c") {
            let place = cell.attributes["r"].flatMap(Self.column) ?? fields.count
            guard place < 1_000 else { continue }
            // Either of two cells in one place may be meant.
            if !written.insert(place).inserted { repeatedCell = repeatedCell ?? cell.attributes["r"] ?? "" }
            // Some programs do not write the cells in the order of their columns.
            while fields.count <= place { fields.append("") }
            fields[place] = value(of: cell)
        }
        for (number, field) in fields.enumerated() {
            text += number == 0 ? "\"" : ";\""
            text += field.escaping(["\"": "\"\""])
            text += "\""
        }
        text += "\n"
    }

    private func value(of cell: MarkupElement) -> String {
        let written = cell["v"]?.text.folded ?? ""
        switch cell.attributes["t"] ?? "n" {
        case "s": return CalendarDay.number(written.utf8).flatMap { $0 < strings.count ? strings[$0] : nil } ?? ""
        case "inlineStr": return cell["is"].map(Self.text) ?? ""
        case "n":
            let style = cell.attributes["s"].flatMap { CalendarDay.number($0.utf8) } ?? 0
            let format = style < formats.count ? formats[style] : .plain
            if format.showsDate, let day = day(written) { return day.description }
            let number = Self.number(written)
            return format.currency.isEmpty || number.isEmpty ? number : "\(number) \(format.currency)"
        // Otherwise the truth would be the amount 1.
        case "b": return written == "1" ? "TRUE" : "FALSE"
        default: return written
        }
    }

    /// The days since the last one of 1899 but one, as spreadsheets count; 1900 is a leap year for them.
    private func day(_ written: String) -> CalendarDay? {
        guard let whole = CalendarDay.number(written.prefix { $0 != "." }.utf8), whole > 60 || beginsIn1904 else {
            return nil
        }
        return CalendarDay.counted(whole, from: beginsIn1904 ? (1904, 1, 1) : (1899, 12, 30))
    }

    /// A number with a decimal point that cannot be taken for a group of thousands, without an exponent.
    private static func number(_ written: String) -> String {
        let written = withoutExponent(written) ?? written
        guard let mark = written.utf8.firstIndex(of: UInt8(ascii: ".")) else { return written }
        let decimals = written.utf8[mark...].dropFirst()
        return decimals.count == 3 && decimals.allSatisfy { (0x30...0x39).contains($0) } ? written + "0" : written
    }

    /// `1.5E3` as `1500`; nil for a number without an exponent, and for one of more digits than an amount has.
    private static func withoutExponent(_ written: String) -> String? {
        guard written.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        let sides = written.split { $0 == "E" || $0 == "e" }
        guard sides.count == 2, var exponent = Int(sides[1]), abs(exponent) <= 20 else { return nil }
        let isNegative = sides[0].hasPrefix("-")
        let parts = sides[0].drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
        var whole = String(parts[0])
        var fraction = parts.count > 1 ? String(parts[1]) : ""
        while exponent > 0 {
            whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
            exponent -= 1
        }
        while exponent < 0 {
            fraction.insert(whole.popLast() ?? "0", at: fraction.startIndex)
            exponent += 1
        }
        let shown = whole.drop { $0 == "0" }
        return (isNegative ? "-" : "") + (shown.isEmpty ? "0" : shown) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// The column of a cell, from 0: `B2` is in column 1.
    private static func column(_ reference: String) -> Int? {
        let letters = reference.utf8.prefix { (0x41...0x5A).contains($0) }
        guard (1...3).contains(letters.count) else { return nil }
        return letters.reduce(0) { $0 * 26 + Int($1 - 0x40) } - 1
    }
}
