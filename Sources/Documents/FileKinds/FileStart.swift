import Machine

/// The first bytes of a file, in which the marks of kinds are looked for.
public struct FileStart: Sendable {
    /// At most the first 4096 bytes, without a byte order mark, the zero bytes of UTF-16, and white space at the start.
    public let bytes: [UInt8]
    /// The same as text; bytes that are not UTF-8 are replaced.
    public let text: String
    /// The text in lower case.
    public let lower: String
    /// True for a file whose first bytes have the header of a PDF.
    let isPDF: Bool
    /// The names in a ZIP archive; nil for another file.
    let entries: [String]?

    /// - Parameter file: the whole file.
    public init(_ file: [UInt8]) {
        bytes = Self.bytes(file)
        text = String(decoding: bytes, as: UTF8.self)
        lower = text.lowercased()
        isPDF = PDFFrame(first: Array(file.prefix(2048)), last: []).hasHeader
        let isArchive = file.starts(with: ZIPEntries.localMark) || file.starts(with: ZIPEntries.endMark)
        entries = isArchive ? ZIPEntries.names(in: file) : nil
    }

    static func bytes(_ file: [UInt8]) -> [UInt8] {
        var head = Array(file.prefix(4096))
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
            head.removeAll { $0 == 0 || $0 >= 0xFE }
        }
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
        return Array(head.drop { $0 <= 0x20 })
    }

    /// True for a text that begins with `<`.
    public var isMarkup: Bool { lower.hasPrefix("<") }

    /// Returns whether the text has a mark in lower case.
    public func holds(_ mark: String) -> Bool {
        // A search for characters takes longer than all other checks of a file together.
        lower.firstOffset(of: mark) != nil
    }
}
