import Encodings
import Machine

/// The kind of a file as its content shows it. Names and media types do not count: banks often give wrong ones.
struct SeenFile {
    /// Nil for a kind that no bank's document has, and for text, which may be CSV.
    let kind: FileKind?
    /// The kind with its article, for sentences, e.g. `a PNG picture`.
    let words: String
    /// True for text without a mark of its kind.
    var isPlainText = false

    private init(_ kind: FileKind) { (self.kind, words) = (kind, kind.words) }

    private init(_ words: String, isPlainText: Bool = false) {
        (kind, self.words, self.isPlainText) = (nil, words, isPlainText)
    }

    /// Looks at the first bytes of a file, and at the entries of a ZIP archive.
    static func look(at bytes: [UInt8]) -> SeenFile {
        let start = TextStart(bytes)
        if bytes.isEmpty || start.lower.isEmpty { return SeenFile("empty") }
        let first = Array(bytes.prefix(2048))
        if PDFFrame(first: first, last: []).hasHeader { return SeenFile(.pdf) }
        for (mark, words) in binaryMarks where bytes.starts(with: mark) { return SeenFile(words) }
        if bytes.starts(with: ZIPEntries.localMark) || bytes.starts(with: ZIPEntries.endMark) {
            return package(ZIPEntries.names(in: bytes))
        }
        if start.isHTML { return SeenFile(.html) }
        if let kind = TransactionFile.kind(of: bytes.prefix(4096)) {
            switch kind {
            case .camt: return start.holds("camt.05") ? SeenFile(.camt) : SeenFile("an XML file, but not CAMT")
            case .mt940: return SeenFile(.mt940)
            case .ofx: return SeenFile(.ofx)
            case .qif: return SeenFile(.qif)
            case .csv: return SeenFile(.csv)
            }
        }
        if start.lower.hasPrefix("{\\rtf") { return SeenFile("an RTF document") }
        if start.isJSON { return SeenFile(.json) }
        if start.lower.hasPrefix("<") { return SeenFile("a file of markup, but of no kind that is known") }
        if (try? TextDecoding.text(first)) == nil, (try? TextDecoding.text(Array(first.dropLast()))) == nil {
            return SeenFile("binary data of no kind that is known")
        }
        return SeenFile("text", isPlainText: true)
    }

    /// Says what a package of several files is.
    private static func package(_ names: [String]) -> SeenFile {
        if names.contains("xl/workbook.xml") { return SeenFile(.xlsx) }
        if names.contains("word/document.xml") { return SeenFile("a Word document (DOCX)") }
        if names.contains("ppt/presentation.xml") { return SeenFile("a presentation (PPTX)") }
        if names.contains("META-INF/MANIFEST.MF") { return SeenFile("a Java program (JAR)") }
        if names.first == "mimetype" { return SeenFile("an OpenDocument file or an e-book") }
        return SeenFile(.zip)
    }

    private static let binaryMarks: [([UInt8], String)] = [
        ([0xD0, 0xCF, 0x11, 0xE0], "an old Office file (XLS or DOC)"), ([0x1F, 0x8B], "a gzip file"),
        ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive"), (Array("Rar!".utf8), "a RAR archive"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"), ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
        (Array("GIF8".utf8), "a GIF picture"), ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
        (Array("MZ".utf8), "a Windows program"), (Array("SQLite format 3".utf8), "a SQLite database"),
    ]
}

/// The first text of a file, in lower case, without a byte order mark and white space.
private struct TextStart {
    let lower: String

    init(_ bytes: [UInt8]) {
        var head = Array(bytes.prefix(4096))
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            head.removeAll { $0 == 0 || $0 >= 0xFE }
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        lower = String(decoding: head.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
    }

    /// Compares bytes: a search for characters takes longer than all other checks of a file together.
    func holds(_ mark: String) -> Bool { lower.firstOffset(of: mark) != nil }

    /// An object, or a list of objects, of lists or of nothing: a line of CSV may begin with a bracket, too.
    var isJSON: Bool {
        let inside = lower.dropFirst().drop { $0.isWhitespace }.first
        return lower.hasPrefix("{")
            ? inside == "\"" || inside == "}" : lower.hasPrefix("[") && ["{", "[", "]"].contains(inside)
    }

    var isHTML: Bool {
        guard lower.hasPrefix("<") else { return false }
        return holds("<!doctype html") || holds("<html")
    }
}
