/// The beginning and the end of a file that is read in pieces, to tell a whole PDF from anything else by its bytes (ISO
/// 32000-2, sections 7.5.2 and 7.5.5).
///
/// The header stands at the start: a file that holds `%PDF-` somewhere, such as a ZIP archive, is not a PDF. Writers put a
/// byte order mark or white space before it, and bytes after the end; a kilobyte of them is allowed.
package struct PDFFrame: Sendable {
    private static let length = 2048
    private static let whiteSpace: Set<UInt8> = [0x00, 0x09, 0x0A, 0x0C, 0x0D, 0x20]

    private var first: [UInt8] = []
    private var last: [UInt8] = []

    package init() {}

    /// - Parameters:
    ///   - first: the file's first bytes, a kilobyte or the whole file.
    ///   - last: its last bytes, likewise.
    package init(first: [UInt8], last: [UInt8]) {
        self.first = first
        self.last = last
    }

    package mutating func observe(_ chunk: UnsafeRawBufferPointer) {
        first += chunk.prefix(max(0, Self.length - first.count))
        // Some programs add kilobytes of zeros and line ends behind the end.
        let end = chunk.lastIndex { !Self.whiteSpace.contains($0) }.map { $0 + 1 } ?? 0
        let part = chunk[..<end]
        last = part.count >= Self.length ? Array(part.suffix(Self.length)) : (last + part).suffix(Self.length)
    }

    /// Returns the offset behind the last `%%EOF`, when what follows it does not belong to a PDF; else the number of bytes. A
    /// part would be that of an update which is cut off.
    package static func end(of bytes: [UInt8]) -> Int {
        let mark = Array("%%EOF".utf8)
        guard bytes.count >= mark.count else { return bytes.count }
        for start in stride(from: bytes.count - mark.count, through: 0, by: -1)
        where bytes[start] == mark[0] && bytes[start..<(start + mark.count)].elementsEqual(mark) {
            let rest = bytes[(start + mark.count)...]
            let isPart = offset(of: " obj", in: rest) != nil || offset(of: "startxref", in: rest) != nil
            return isPart ? bytes.count : start + mark.count
        }
        return bytes.count
    }

    /// The fault of the file; nil for a PDF.
    package var problem: String? {
        guard hasHeader else { return "the file does not begin with a PDF's header" }
        guard hasEnd else { return "the file has no PDF's end: startxref and %%EOF" }
        return nil
    }

    /// The file begins as a PDF does, after a byte order mark, white space, or the head of a message (HTTP, MIME), which some
    /// servers leave before it. Viewers look for the header in the first 1024 bytes.
    package var hasHeader: Bool {
        var rest = first.prefix(1024)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { Self.whiteSpace.contains($0) }
        if rest.starts(with: "HTTP/".utf8) || rest.starts(with: "Content-".utf8) || rest.starts(with: "--".utf8) {
            rest = rest.drop { $0 != UInt8(ascii: "%") }
        }
        guard rest.starts(with: "%PDF-".utf8) else { return false }
        let version = Array(rest.dropFirst(5).prefix(3))
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return version.count == 3 && digits.contains(version[0]) && version[1] == UInt8(ascii: ".")
            && digits.contains(version[2])
    }

    private var hasEnd: Bool {
        guard let end = Self.offset(of: "%%EOF", in: last.suffix(1024)),
            let table = Self.offset(of: "startxref", in: last)
        else { return false }
        return table < end + max(0, last.count - 1024)
    }

    /// Returns the offset of the text's last occurrence.
    private static func offset(of text: String, in bytes: some Collection<UInt8>) -> Int? {
        let bytes = Array(bytes)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (0...(bytes.count - wanted.count)).last { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
