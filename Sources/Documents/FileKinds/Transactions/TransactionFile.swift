import Encodings
import Markup

/// Reads a bank's file of transactions, whose kind its content tells.
package enum TransactionFile {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications.
        case camt
        /// MT940 statements and MT942 reports.
        case mt940
        /// OFX 1 and 2, which is also what QFX and Money files are.
        case ofx
        case qif
        case csv
    }

    /// Returns the kind that the content shows; nil for text that could be CSV, or nothing of these.
    package static func kind(of bytes: some Collection<UInt8>) -> Kind? {
        let start = String(decoding: start(of: bytes), as: UTF8.self)
        let lower = start.lowercased()
        // Some programs leave out the header's first line.
        if lower.hasPrefix("ofxheader") || lower.hasPrefix("data:ofxsgml") { return .ofx }
        if lower.hasPrefix("<") {
            // Bytes are compared: a search for characters takes longer.
            func holds(_ mark: String) -> Bool { lower.firstOffset(of: mark) != nil }
            if holds("<ofx") || holds("<?ofx") { return .ofx }
            return holds("camt.05") || holds("<document") ? .camt : nil
        }
        // Some programs write lines of their own before the first that begins with “!”.
        let isQIF = lower.split(whereSeparator: \.isNewline).prefix(10).contains { line in
            ["!type:", "!account", "!option:", "!clear:"].contains { line.hasPrefix($0) }
        }
        if isQIF { return .qif }
        if CSVReader.isOwn(start) { return .csv }
        if start.hasPrefix("{1:") || start.hasPrefix("@@:20:") { return .mt940 }
        let lines = start.split(whereSeparator: \.isNewline).prefix(30).map { $0.drop { $0 == "-" || $0 == " " } }
        return lines.contains { $0.hasPrefix(":20:") || $0.hasPrefix(":25:") } ? .mt940 : nil
    }

    /// Reads the file's statements.
    ///
    /// - Parameters:
    ///   - kind: The kind that the caller expects; another content is refused. CSV is read only when it is expected, when
    ///     its columns are declared, or when this module wrote it.
    ///   - source: The file's name, for the report of gaps.
    /// - Throws: ``ReadingError``.
    package static func read(
        _ bytes: [UInt8], as kind: Kind? = nil, options: ReadingOptions = ReadingOptions(), source: String = ""
    ) throws(ReadingError) -> [Statement] {
        guard bytes.count <= options.limits.size else {
            throw ReadingError(.tooLarge, "the file is larger than \(options.limits.size) bytes; split it")
        }
        let isSpreadsheet = SpreadsheetText.isOne(bytes)
        if !isSpreadsheet, let other = foreignKind(bytes) {
            let hint =
                ["a PDF", "an HTML page", "a picture"].contains(other)
                ? "; ask the bank for CAMT, MT940, OFX or CSV" : ""
            throw ReadingError(.wrongKind, "the file is \(other), not a file of transactions\(hint)")
        }
        // A spreadsheet is read like CSV, by declared columns.
        let seen = isSpreadsheet && options.columns != nil ? .csv : Self.kind(of: bytes)
        if let kind, let seen, kind != seen {
            throw ReadingError(.wrongKind, "the file is \(seen.rawValue), not \(kind.rawValue)")
        }
        guard let kind = kind ?? seen ?? (options.columns == nil ? nil : .csv) else {
            throw ReadingError(
                .wrongKind,
                "the file is not CAMT, MT940, OFX or QIF; for CSV or a spreadsheet, declare the columns, such as --columns booked=Date,amount=Amount; countersign archive columns FILE proposes them"
            )
        }
        var statements =
            switch kind {
            case .camt: try CAMTReader.read(bytes, options)
            case .mt940: try SWIFTReader.read(bytes, options)
            case .ofx: try OFXCollector.read(bytes, isXML: start(of: bytes).starts(with: "<?".utf8), options)
            case .qif: try QIFReader.read(bytes, options)
            case .csv: try CSVReader.read(bytes, options)
            }
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

    /// Returns whether the file's end is there, whatever is odd in it: a document is delivered whole, also when its bookings
    /// cannot be read.
    package static func isWhole(_ bytes: [UInt8], as kind: Kind) -> Bool {
        guard let text = try? TextDecoding.text(bytes) else { return false }
        let end = text.utf8.reversed().drop { $0 <= 0x20 }
        func ends(with mark: String) -> Bool {
            end.lazy.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }.starts(with: mark.utf8.reversed())
        }
        switch kind {
        case .camt:
            guard let mended = try? XMLText.mended(bytes, page: nil).bytes else { return false }
            return (try? XMLRecords.read(mended) { _ in true }) != nil
        case .ofx: return ends(with: "</ofx>")
        case .qif: return ends(with: "^") || text.split(whereSeparator: \.isNewline).last?.hasPrefix("!") == true
        // A file that ends inside a line lacks its end; the last line of a message is a dash, or has an end.
        case .mt940: return ends(with: "-") || ends(with: "-}") || text.last?.isNewline == true
        case .csv: return true
        }
    }

    /// The first bytes without a byte order mark and white space.
    private static func start(of bytes: some Collection<UInt8>) -> [UInt8] {
        var head = Array(bytes.prefix(4096))
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            head.removeAll { $0 == 0 || $0 >= 0xFE }
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        return Array(head.drop { $0 <= 0x20 })
    }

    /// Returns the kind of a file without transactions; nil for one that may be.
    static func foreignKind(_ bytes: [UInt8]) -> String? {
        let start = start(of: bytes)
        if start.isEmpty { return "empty" }
        if isPicture(Array(bytes.prefix(16))) { return "a picture" }
        if start.starts(with: ZIPEntries.localMark), ZIPEntries.names(in: Array(bytes)).contains("content.xml") {
            return "an OpenDocument spreadsheet (save its table as CSV or XLSX)"
        }
        let kinds: [(StaticString, String)] = [
            ("%PDF-", "a PDF"), ("PK\u{3}\u{4}", "a ZIP archive"),
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
