/// Splits CSV into records.
///
/// Source: RFC 4180, with any of four delimiters, and with LF or CR LF. A quoted field may hold line ends.
package enum CSVRecords {
    package struct Record {
        /// The line that it begins on, from 1.
        package let line: Int
        package var fields: [String]
    }

    package static let delimiters = [UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// Calls `body` with each record that is not blank. The text's first line has the number `first`.
    package static func read(
        _ text: String, delimiter: UInt8, limits: ReadingLimits, from first: Int = 1,
        _ body: (Record) throws(ReadingError) -> Void
    ) throws(ReadingError) {
        var record = Record(line: first, fields: [])
        var field: [UInt8] = []
        var line = first
        var isQuoted = false
        var wasQuoted = false
        var afterQuote = false
        func finishField(_ record: inout Record) {
            record.fields.append(String(decoding: field, as: UTF8.self))
            field.removeAll(keepingCapacity: true)
            (wasQuoted, afterQuote) = (false, false)
        }
        for byte in Array(text.utf8) + [0x0A] {
            if byte == 0x0A { line += 1 }
            guard field.count < limits.text, record.fields.count < 1_000 else {
                throw ReadingError(
                    .tooLarge, line: record.line,
                    "a field is longer than \(limits.text) bytes, or a record has 1000 fields; a quotation mark may be missing"
                )
            }
            if isQuoted {
                if byte == UInt8(ascii: "\"") { (isQuoted, afterQuote) = (false, true) } else { field.append(byte) }
            } else if byte == UInt8(ascii: "\"") && (afterQuote || field.isEmpty && !wasQuoted) {
                // Two quotation marks inside quotes are one.
                if afterQuote { field.append(byte) }
                (isQuoted, wasQuoted, afterQuote) = (true, true, false)
            } else if byte == delimiter {
                finishField(&record)
            } else if byte == 0x0A {
                if field.last == 0x0D { field.removeLast() }
                finishField(&record)
                if record.fields.contains(where: { !$0.isEmpty }) { try body(record) }
                record = Record(line: line, fields: [])
            } else {
                guard !afterQuote || byte == 0x0D || byte == 0x20 else {
                    throw ReadingError(
                        .syntax, line: line,
                        "text follows a closing quotation mark; write a quotation mark inside a field twice")
                }
                if !afterQuote || byte == 0x0D { field.append(byte) }
            }
        }
        guard !isQuoted else {
            throw ReadingError(
                .syntax, line: record.line, "a quotation mark opens and none closes; the file is cut off or damaged")
        }
    }
}
