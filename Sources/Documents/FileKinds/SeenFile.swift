import Encodings

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
    ///
    /// - Parameter expected: the kind that is asked for; nil for any.
    static func look(at bytes: [UInt8], seeking expected: FileKind? = nil) -> SeenFile {
        let start = FileStart(bytes)
        if start.bytes.isEmpty { return SeenFile("empty") }
        let found = FileKind.byMark(seeking: expected).first { $0.isMarked(start) }
        // A PDF may have other bytes before its header.
        if found != .pdf, let words = foreign(bytes, start.entries) { return SeenFile(words) }
        if let found { return SeenFile(found) }
        for like in FileKind.byMark.compactMap({ $0.bookings?.lookalike }) where like.isMarked(start) {
            return SeenFile(like.words)
        }
        if start.lower.hasPrefix("{\\rtf") { return SeenFile("an RTF document") }
        if start.isMarkup { return SeenFile("a file of markup, but of no kind that is known") }
        let first = Array(bytes.prefix(2048))
        if (try? TextDecoding.text(first)) == nil, (try? TextDecoding.text(Array(first.dropLast()))) == nil {
            return SeenFile("binary data of no kind that is known")
        }
        return SeenFile("text", isPlainText: true)
    }

    /// Says what a file of bytes is that no bank's document is.
    private static func foreign(_ bytes: [UInt8], _ entries: [String]?) -> String? {
        if let (_, words) = binaryMarks.first(where: { mark, _ in bytes.starts(with: mark) }) { return words }
        guard let entries, !entries.contains(Workbook.mainPart) else { return nil }
        if entries.contains("word/document.xml") { return "a Word document (DOCX)" }
        if entries.contains("ppt/presentation.xml") { return "a presentation (PPTX)" }
        if entries.contains("META-INF/MANIFEST.MF") { return "a Java program (JAR)" }
        return entries.first == "mimetype" ? "an OpenDocument file or an e-book" : nil
    }

    private static let binaryMarks: [([UInt8], String)] = [
        ([0xD0, 0xCF, 0x11, 0xE0], "an old Office file (XLS or DOC)"), ([0x1F, 0x8B], "a gzip file"),
        ([0x37, 0x7A, 0xBC, 0xAF], "a 7-Zip archive"), (Array("Rar!".utf8), "a RAR archive"),
        ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"), ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
        (Array("GIF8".utf8), "a GIF picture"), ([0x7F, 0x45, 0x4C, 0x46], "a program (ELF)"),
        (Array("MZ".utf8), "a Windows program"), (Array("SQLite format 3".utf8), "a SQLite database"),
    ]
}
