/// Reads a bank's file of transactions, whose kind its content tells.
package enum TransactionFile {
    /// Returns the kind that the content shows; nil for text that could be CSV, or nothing with bookings.
    ///
    /// - Parameter expected: the kind that is asked for. Where that one ships, no plug-in is asked.
    package static func kind(of bytes: some Collection<UInt8>, seeking expected: FileKind? = nil) -> FileKind? {
        let start = FileStart(Array(bytes.prefix(4096)))
        return FileKind.byMark(seeking: expected).first { kind in
            guard let bookings = kind.bookings else { return false }
            return kind.isMarked(start) || bookings.lookalike?.isMarked(start) == true
        }
    }

    /// Reads the file's statements.
    ///
    /// - Parameters:
    ///   - kind: The kind that the caller expects; another content is refused. CSV is read only when it is expected, when
    ///     its columns are declared, or when this module wrote it.
    ///   - source: The file's name, for the report of gaps.
    /// - Throws: ``ReadingError``.
    package static func read(
        _ bytes: [UInt8], as kind: FileKind? = nil, options: ReadingOptions = ReadingOptions(), source: String = ""
    ) throws(ReadingError) -> [Statement] {
        guard bytes.count <= options.limits.size else {
            throw ReadingError(.tooLarge, "the file is larger than \(options.limits.size) bytes; split it")
        }
        let isSpreadsheet = SpreadsheetText.isOne(bytes)
        let marked = Self.kind(of: bytes, seeking: kind)
        // A plug-in's kind may look like one without bookings, such as JSON.
        if !isSpreadsheet, marked?.origin == nil, let other = foreignKind(bytes) {
            let hint =
                ["a PDF", "an HTML page", "a picture"].contains(other)
                ? "; ask the bank for CAMT, MT940, OFX or CSV"
                : other == "empty" ? "; download it from the bank again, or name another file" : ""
            throw ReadingError(.wrongKind, "the file is \(other), not a file of transactions\(hint)")
        }
        // A spreadsheet is read like CSV, by declared columns.
        let seen = isSpreadsheet && options.columns != nil ? .csv : marked
        if let kind, let seen, kind != seen {
            throw ReadingError(.wrongKind, "the file is \(seen.rawValue), not \(kind.rawValue)")
        }
        guard let kind = kind ?? seen ?? (options.columns == nil ? nil : .csv) else {
            throw ReadingError(
                .wrongKind,
                "the file is not \(Self.known); for CSV or a spreadsheet, declare the columns, such as --columns booked=Date,amount=Amount; countersign archive columns FILE proposes them"
            )
        }
        guard let bookings = kind.bookings else {
            throw ReadingError(.wrongKind, "\(kind.words) has no transactions that can be read; name another kind")
        }
        var statements = try bookings.read(bytes, options)
        let file = UInt64.random(in: 1...UInt64.max)
        for index in statements.indices {
            (statements[index].source, statements[index].file) = (source, file)
            if let today = options.today,
                let note = DistantDays.future(statements[index].transactions, after: today)
            {
                statements[index].notes.append(note)
            }
        }
        return statements
    }

    /// The kinds that a file with bookings shows by its content, for sentences; CSV shows none.
    private static var known: String {
        let names = FileKind.byMark.filter { $0.bookings != nil && $0 != .csv }.map { $0.rawValue.uppercased() }
            .sorted()
        return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }

    /// Returns the kind of a file without transactions; nil for one that may be.
    static func foreignKind(_ bytes: [UInt8]) -> String? {
        let start = FileStart.bytes(bytes)
        if start.isEmpty { return "empty" }
        if isPicture(Array(bytes.prefix(16))) { return "a picture" }
        if start.starts(with: ZIPEntries.localMark), ZIPEntries.names(in: Array(bytes)).contains("content.xml") {
            return "an OpenDocument spreadsheet (save its table as CSV or XLSX)"
        }
        let kinds: [(StaticString, String)] = [
            ("%PDF-", "a PDF"), ("PK\u{3}\u{4}", "a ZIP archive"), ("PK\u{5}\u{6}", "a ZIP archive without files"),
            ("<!doctype html", "an HTML page"),
            ("<html", "an HTML page"), ("<table", "an HTML page"), ("{\"", "JSON"), ("[{", "JSON"),
        ]
        // Compound File Binary, which old workbooks are.
        if start.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            return "an old workbook (XLS; save its table as CSV or XLSX)"
        }
        let lower = start.prefix(16).map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        return kinds.first { mark, _ in lower.starts(with: "\(mark)".lowercased().utf8) }?.1
    }

    /// PNG, JPEG, GIF, TIFF, WebP and HEIF, by their first bytes.
    private static func isPicture(_ start: [UInt8]) -> Bool {
        let marks: [[UInt8]] = [
            [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8),
            [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A],
        ]
        if marks.contains(where: { start.starts(with: $0) }) { return true }
        let inner = start.dropFirst(8)
        if start.starts(with: "RIFF".utf8) { return inner.starts(with: "WEBP".utf8) }
        return start.dropFirst(4).starts(with: "ftyp".utf8)
            && (inner.starts(with: "he".utf8) || inner.starts(with: "mif".utf8))
    }
}
