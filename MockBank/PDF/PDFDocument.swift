import Foundation

/// Writes small PDF files (ISO 32000-1): A4 pages with lines, and text in the standard fonts.
struct PDFDocument {
    enum Font: String {
        case regular = "F1"
        case bold = "F2"
    }

    private var pages: [[UInt8]] = []
    private var page: [UInt8] = []
    let title: String

    init(title: String) {
        self.title = title
    }

    // MARK: Drawing, in points from the lower left corner

    mutating func text(_ text: String, x: Double, y: Double, size: Double = 10, font: Font = .regular, gray: Double = 0)
    {
        page += Array("BT \(gray) g /\(font.rawValue) \(size) Tf \(x) \(y) Td (".utf8)
        page += Self.escaped(text)
        page += Array(") Tj ET\n".utf8)
    }

    /// Draws text that ends at `x`.
    mutating func text(_ text: String, endingAt x: Double, y: Double, size: Double = 10, font: Font = .regular) {
        self.text(text, x: x - Self.width(of: text, size: size), y: y, size: size, font: font)
    }

    mutating func line(from: (x: Double, y: Double), to: (x: Double, y: Double), gray: Double = 0.7) {
        page += Array("\(gray) G 0.7 w \(from.x) \(from.y) m \(to.x) \(to.y) l S\n".utf8)
    }

    mutating func box(x: Double, y: Double, width: Double, height: Double, red: Double, green: Double, blue: Double) {
        page += Array("\(red) \(green) \(blue) rg \(x) \(y) \(width) \(height) re f\n".utf8)
    }

    mutating func endPage() {
        pages.append(page)
        page = []
    }

    /// Encodes text in WinAnsiEncoding, which equals Latin-1 for the characters in statements except the dash.
    private static func escaped(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            switch scalar {
            case "(", ")", "\\": [UInt8(ascii: "\\"), UInt8(scalar.value)]
            case "–": [0x96]
            default: [scalar.value < 256 ? UInt8(scalar.value) : UInt8(ascii: "?")]
            }
        }
    }

    /// Returns the width of a text in Helvetica. Only characters of amounts are exact; others count as a digit.
    private static func width(of text: String, size: Double) -> Double {
        text.reduce(0) { $0 + (",.".contains($1) ? 278 : $1 == "-" ? 333 : $1 == " " ? 278 : 556) } * size / 1000
    }

    // MARK: The file

    func bytes(padding: Int) -> [UInt8] {
        var file = PDFFile()
        let firstPage = 5
        let kids = pages.indices.map { "\(firstPage + $0 * 2) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Catalog /Pages 2 0 R /Lang (en) >>")
        file.add("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>")
        file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
        file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
        for (index, content) in pages.enumerated() {
            file.add(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(firstPage + index * 2 + 1) 0 R "
                    + "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>")
            file.add("<< /Length \(content.count) >>", stream: content)
        }
        file.add("<< /Title (\(title)) /Producer (Meridian Savings) >>")
        if padding > 0 { file.add("<< /Length \(padding) >>", stream: Array(repeating: 0x20, count: padding)) }
        return file.finished(root: 1, info: firstPage + pages.count * 2)
    }
}

/// Collects the objects of a PDF and writes its cross-reference table (section 7.5).
private struct PDFFile {
    private var bytes = Array("%PDF-1.4\n%\u{E2}\u{E3}\n".utf8)
    private var offsets: [Int] = []

    mutating func add(_ dictionary: String, stream: [UInt8]? = nil) {
        offsets.append(bytes.count)
        bytes += Array("\(offsets.count) 0 obj\n\(dictionary)\n".utf8)
        if let stream { bytes += Array("stream\n".utf8) + stream + Array("endstream\n".utf8) }
        bytes += Array("endobj\n".utf8)
    }

    func finished(root: Int, info: Int) -> [UInt8] {
        var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { table += String(format: "%010d 00000 n \n", offset) }
        table += "trailer\n<< /Size \(offsets.count + 1) /Root \(root) 0 R /Info \(info) 0 R >>\n"
        table += "startxref\n\(bytes.count)\n%%EOF\n"
        return bytes + Array(table.utf8)
    }
}
