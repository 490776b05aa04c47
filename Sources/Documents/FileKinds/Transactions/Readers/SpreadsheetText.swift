import Markup

/// The table of a spreadsheet as CSV, for the reader of declared columns.
///
/// Source: ECMA-376, part 1, sections 18.3 (worksheets), 18.4 (shared strings) and 18.8 (number formats). Of several sheets the
/// first is read. Numbers have a decimal point, and dates are written as 2025-03-31.
struct SpreadsheetText {
    private(set) var text = ""
    /// A sentence where other sheets are left out.
    private(set) var note: String?

    private var strings: [String] = []
    /// True for each style of cells that shows a date.
    private var datesByStyle: [Bool] = []
    private var beginsIn1904 = false

    /// Returns whether the bytes are a spreadsheet, and not another ZIP archive.
    static func isOne(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: ZIPEntries.localMark) && ZIPEntries.names(in: bytes).contains("xl/workbook.xml")
    }

    /// - Throws: ``ReadingError`` for a spreadsheet that is damaged, made to do harm, or without a sheet.
    init(_ bytes: [UInt8], limits: ReadingLimits) throws(ReadingError) {
        do throws(FileRefusal) {
            let entries = try ZIPEntries(bytes, limits: FileLimits())
            let sheets = entries.entries.filter { $0.name.hasPrefix("xl/worksheets/") && $0.name.hasSuffix(".xml") }
            let first = sheets.min { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
            guard let first else {
                throw FileRefusal(.damaged, "the spreadsheet has no sheet; save its table as CSV")
            }
            if sheets.count > 1 {
                note = "only the first of \(sheets.count) sheets is read; save another one as a file of its own"
            }
            try read("xl/workbook.xml", entries) { book, element in
                if element.name == "workbookPr" {
                    book.beginsIn1904 = ["1", "true"].contains(element.attributes["date1904"] ?? "")
                }
                return false
            }
            try read("xl/sharedStrings.xml", entries) { book, element in
                guard element.name == "si" else { return false }
                book.strings.append(Self.text(of: element))
                return true
            }
            try readStyles(entries)
            try read(first.name, entries) { book, element in
                guard element.name == "row" else { return false }
                book.add(element, limits)
                return true
            }
        } catch {
            throw ReadingError(error.code == .tooLarge ? .tooLarge : .syntax, "\(error)")
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
        var own: [String: Bool] = [:]
        var formats: [String] = []
        try read("xl/styles.xml", entries) { _, element in
            switch element.name {
            case "numFmt":
                own[element.attributes["numFmtId"] ?? ""] = Self.showsDate(element.attributes["formatCode"] ?? "")
                return true
            case "cellXfs":
                formats = element.all("xf").map { $0.attributes["numFmtId"] ?? "" }
                return true
            default: return false
            }
        }
        // The formats 14 to 22, 27 to 36 and 45 to 58 are dates and times in all languages.
        datesByStyle = formats.map { format in
            own[format]
                ?? CalendarDay.number(format.utf8).map {
                    (14...22).contains($0) || (27...36).contains($0) || (45...58).contains($0)
                }
                ?? false
        }
    }

    /// A format of numbers has neither days nor years outside its texts and colours.
    private static func showsDate(_ format: String) -> Bool {
        var isText = false
        return format.lowercased().contains { character in
            if character == "\"" || character == "[" || character == "]" { isText = character == "]" ? false : !isText }
            return !isText && (character == "d" || character == "y")
        }
    }

    private static func text(of element: MarkupElement) -> String {
        let direct = element.all("t").map(\.text)
        return (direct.isEmpty ? element.all("r").flatMap { $0.all("t").map(\.text) } : direct).joined().folded
    }

    /// Writes a row as a line of CSV whose number is that of the row.
    private mutating func add(_ row: MarkupElement, _ limits: ReadingLimits) {
        var fields: [String] = []
        for cell in row.all("c") {
            let place = cell.attributes["r"].flatMap(Self.column) ?? fields.count
            guard place < 1_000 else { continue }
            while fields.count < place { fields.append("") }
            fields.append(value(of: cell))
        }
        text += fields.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ";") + "\n"
    }

    private func value(of cell: MarkupElement) -> String {
        let written = cell["v"]?.text.folded ?? ""
        switch cell.attributes["t"] ?? "n" {
        case "s": return CalendarDay.number(written.utf8).flatMap { $0 < strings.count ? strings[$0] : nil } ?? ""
        case "inlineStr": return cell["is"].map(Self.text) ?? ""
        case "n":
            let style = cell.attributes["s"].flatMap { CalendarDay.number($0.utf8) } ?? 0
            if style < datesByStyle.count, datesByStyle[style], let day = day(written) { return day.description }
            return Self.number(written)
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
        guard let mark = written.firstIndex(of: ".") else { return written }
        let decimals = written[mark...].dropFirst()
        return decimals.count == 3 && decimals.allSatisfy(\.isNumber) ? written + "0" : written
    }

    /// The column of a cell, from 0: `B2` is in column 1.
    private static func column(_ reference: String) -> Int? {
        let letters = reference.utf8.prefix { (0x41...0x5A).contains($0) }
        guard (1...3).contains(letters.count) else { return nil }
        return letters.reduce(0) { $0 * 26 + Int($1 - 0x40) } - 1
    }
}
