/// A table as banks write it, whose lines have not all as many fields: with a total, headings between the lines, delimiters
/// at the ends of lines, and quotation marks that are not doubled.
struct UnequalTable {
    /// True for a table whose last line has its end.
    private(set) var isWhole = false
    /// The number of fields in lines of the usual width: of several delimiters, the right one makes the most.
    private(set) var fields = 0

    init(_ text: String, _ delimiter: UInt8) {
        var widths: [Int: Int] = [:]
        var last = 0
        var hasFigures = false
        func add(_ record: CSVRecords.Record) {
            last = record.fields.count
            // Delimiters at the end of a line do not make columns.
            let width = (record.fields.lastIndex { !$0.isEmpty } ?? -1) + 1
            if width > 1 { widths[width, default: 0] += 1 }
            hasFigures = hasFigures || width > 1 && record.fields.contains { Self.isFigure($0) }
        }
        do throws(ReadingError) {
            try CSVRecords.read(text, delimiter: delimiter, limits: ReadingLimits()) { add($0) }
        } catch {
            (widths, last, hasFigures) = ([:], 0, false)
            let isLoose: Void? = try? CSVRecords.read(
                text, delimiter: delimiter, limits: ReadingLimits(), loosely: true
            ) { add($0) }
            guard isLoose != nil else { return }
        }
        let rows = widths.values.reduce(0, +)
        let most = widths.max { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let most, rows >= 2 else { return }
        fields = most.key * most.value
        // Prose has commas, too, but neither equal lines nor fields that are figures.
        let isTable = most.value >= 2 && 2 * most.value >= rows || hasFigures
        let hasEnd = text.utf8.last == 0x0A || last >= most.key
        isWhole = isTable && hasEnd
    }

    /// Returns whether a field is digits and marks, as amounts and dates are.
    private static func isFigure(_ field: String) -> Bool {
        field.utf8.contains { (0x30...0x39).contains($0) }
            && field.utf8.allSatisfy { (0x20...0x40).contains($0) }
    }
}
