/// Tells whether a text is a table: one delimiter, and as many fields in each record.
///
/// Lines before the table, in which banks state the account, are passed over.
enum CSVTable {
    /// The most records before the table.
    private static let mostBefore = 50

    /// A reading of the text with one delimiter.
    private struct Reading {
        /// The number of fields of the table; 0 without one.
        var width = 0
        /// The records of the table, with its header.
        var records = 0
        /// The records before the table, of which none may follow.
        var before = 0
        /// The line of the last record that is as wide as no other.
        var line = 0
        var otherWidth = 0
        /// The most fields of a record before the table. Banks' words before a table are narrower than it.
        var widestBefore = 0

        var isTable: Bool {
            width >= 2 && before <= mostBefore && widestBefore < width && (records >= 2 || before == 0)
        }

        mutating func add(_ record: CSVRecords.Record) {
            if record.fields.count == width {
                records += 1
                return
            }
            before += records
            widestBefore = max(widestBefore, width)
            (otherWidth, line) = (width, record.line)
            (width, records) = (record.fields.count, 1)
        }
    }

    /// Checks a text.
    ///
    /// - Parameter isExpected: false when the file may be CSV only because it is text of no other kind. Its columns have to
    ///   be equal then; of a file that is expected, unequal ones are notes.
    /// - Returns: what is odd in the table.
    /// - Throws: ``FileRefusal`` for what is not text, for text without columns, and for a table that is cut off.
    static func check(_ bytes: [UInt8], isExpected: Bool) throws(FileRefusal) -> [String] {
        let text: String
        do throws(ReadingError) {
            text = CSVRecords.withLineFeeds(try TextDecoding.text(bytes))
        } catch {
            throw FileRefusal(.damaged, error.description)
        }
        var best = Reading()
        var failure: ReadingError?
        let delimiters = CSVRecords.delimiters.filter { text.utf8.contains($0) }
        for delimiter in delimiters {
            var reading = Reading()
            do throws(ReadingError) {
                try CSVRecords.read(text, delimiter: delimiter, limits: ReadingLimits()) { reading.add($0) }
            } catch {
                failure = failure ?? error
                continue
            }
            if reading.isTable, reading.width > best.width { return [] }
            if reading.width > best.width || reading.records > best.records { best = reading }
        }
        let columns =
            best.before > 0
            ? "line \(best.line) has \(best.width) fields, and the lines before it \(best.otherWidth)"
            : failure?.description ?? "it has one column"
        guard isExpected else {
            throw FileRefusal(
                .wrongKind, "the file is text of no kind that is known; as CSV it would be damaged: \(columns)")
        }
        let table = delimiters.map { UnequalTable(text, $0) }.max { $0.fields < $1.fields }
        guard table?.isWhole == true else {
            throw FileRefusal(
                .damaged, "the file is not whole CSV, so download it again: \(columns)")
        }
        return ["its lines have not all as many fields: \(columns)"]
    }
}
