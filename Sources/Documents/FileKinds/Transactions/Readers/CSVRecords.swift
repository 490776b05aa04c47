/// Splits CSV into records.
///
/// Source: RFC 4180, with any of four delimiters, and with LF or CR LF. A quoted field may hold line ends.
package enum CSVRecords {
    package struct Record {
        /// The line that it begins on, from 1.
        package let line: Int
        package var fields: [String]
        /// The fields without what protects them from spreadsheet programs, and with white space folded.
        var cells: [String] = []
        /// True when ``cells`` are the fields: none has a character that they lack.
        var isPlain = false
    }

    package static let delimiters = [UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// Returns the text with LF for CR where it has no LF, as old systems write lines.
    package static func withLineFeeds(_ text: String) -> String {
        guard text.hasByte(0x0D), !text.hasByte(0x0A) else { return text }
        return String(decoding: text.utf8.map { $0 == 0x0D ? 0x0A : $0 }, as: UTF8.self)
    }

    /// Calls `body` with each record that is not blank. The text's first line has the number `first`.
    ///
    /// - Parameter loosely: reads each line as one record, and a quotation mark as the end of a field only before a
    ///   delimiter or at the end of the line: some banks do not double those inside a field.
    package static func read(
        _ text: String, delimiter: UInt8, limits: ReadingLimits, from first: Int = 1, loosely: Bool = false,
        _ body: (Record) throws(ReadingError) -> Void
    ) throws(ReadingError) {
        if loosely { return try readLoosely(text, delimiter: delimiter, limits: limits, from: first, body) }
        var record = Record(line: first, fields: [], isPlain: true)
        var field: [UInt8] = []
        var line = first
        var isQuoted = false
        var wasQuoted = false
        var afterQuote = false
        func finishField(_ record: inout Record) {
            record.isPlain = record.isPlain && isPlain(field)
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
            } else if byte == UInt8(ascii: "\"")
                && (afterQuote || !wasQuoted && field.allSatisfy { $0 == 0x20 })
            {
                // Two quotation marks inside quotes are one. Some banks write a space behind each delimiter.
                if afterQuote { field.append(byte) } else { field.removeAll(keepingCapacity: true) }
                (isQuoted, wasQuoted, afterQuote) = (true, true, false)
            } else if byte == delimiter {
                finishField(&record)
            } else if byte == 0x0A {
                if field.last == 0x0D { field.removeLast() }
                finishField(&record)
                if record.fields.contains(where: { !$0.isEmpty }) { try body(record) }
                let width = record.fields.count
                record = Record(line: line, fields: [], isPlain: true)
                record.fields.reserveCapacity(width)
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

    /// Returns whether a field is of ASCII without an apostrophe and an equals sign, and with single spaces between words.
    private static func isPlain(_ field: [UInt8]) -> Bool {
        var before: UInt8 = 0x20
        for byte in field {
            guard byte > 0x20 || byte == 0x20 && before != 0x20, byte < 0x7F, byte != UInt8(ascii: "'"),
                byte != UInt8(ascii: "=")
            else { return false }
            before = byte
        }
        return before != 0x20 || field.isEmpty
    }

    private static func readLoosely(
        _ text: String, delimiter: UInt8, limits: ReadingLimits, from first: Int,
        _ body: (Record) throws(ReadingError) -> Void
    ) throws(ReadingError) {
        let quote = UInt8(ascii: "\"")
        for (index, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            var record = Record(line: first + index, fields: [])
            var rest = line.last == 0x0D ? line.dropLast() : line
            while true {
                guard rest.count <= limits.text * 1_000, record.fields.count < 1_000 else {
                    throw ReadingError(.tooLarge, line: record.line, "a line is too long, or has 1000 fields")
                }
                var end = rest.firstIndex(of: delimiter) ?? rest.endIndex
                var field = rest[..<end]
                if rest.first == quote {
                    let start = rest.index(after: rest.startIndex)
                    let closing = rest.indices.dropFirst().first { place in
                        let next = rest.index(after: place)
                        return rest[place] == quote && (next == rest.endIndex || rest[next] == delimiter)
                    }
                    guard let closing else {
                        throw ReadingError(.syntax, line: record.line, "a quotation mark opens and none closes")
                    }
                    field = rest[start..<closing]
                    end = rest.index(after: closing)
                }
                var bytes: [UInt8] = []
                var wasQuote = false
                for byte in field {
                    let isDoubled = wasQuote && byte == quote && rest.first == quote
                    if !isDoubled { bytes.append(byte) }
                    wasQuote = byte == quote && !isDoubled
                }
                record.fields.append(String(decoding: bytes, as: UTF8.self))
                guard end != rest.endIndex else { break }
                rest = rest[rest.index(after: end)...]
            }
            if record.fields.contains(where: { !$0.isEmpty }) { try body(record) }
        }
    }
}
