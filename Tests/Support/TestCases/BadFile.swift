import FileKinds

/// A file that is not what it says, or that is made to do harm.
package struct BadFile: Sendable, CustomStringConvertible {
    /// The kind that it pretends to be.
    package let kind: FileKind
    package let bytes: [UInt8]
    /// A part of the sentence with which it is refused.
    package let words: String

    package var description: String { "\(kind.rawValue): \(words)" }

    private init(_ kind: FileKind, _ bytes: [UInt8], _ words: String) {
        (self.kind, self.bytes, self.words) = (kind, bytes, words)
    }

    private init(_ kind: FileKind, _ text: String, _ words: String) { self.init(kind, Array(text.utf8), words) }

    private static let laughs = """
        <?xml version="1.0"?>
        <!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
        <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">&b;</Document>
        """
    private static let foreignEntity = """
        <?xml version="1.0" encoding="UTF-8"?>
        <?OFX OFXHEADER="200" VERSION="211"?>
        <!DOCTYPE OFX SYSTEM "file:///etc/passwd"><OFX></OFX>
        """
    private static let cutStatement = ":20:A\n:25:37040044/0532013000\n:60F:C250201EUR100,\n:61:250210"

    /// Files of each kind of data and of pages.
    package static let data = [
        BadFile(.csv, "a;b;c\n1;2;3\n4;5", "line 3"), BadFile(.csv, "{\"error\": \"session ended\"}", "a JSON file"),
        BadFile(.camt, laughs, "document type"), BadFile(.camt, "<note><to/></note>", "a file of markup"),
        BadFile(.ofx, foreignEntity, "document type"), BadFile(.mt940, cutStatement, "cut off"),
        BadFile(.qif, "MZ\u{90}", "a Windows program"), BadFile(.xlsx, announcing(0xFFFF_FFFE).bytes, "4294967294"),
        BadFile(.xlsx, [0x50, 0x4B, 3, 4, 20, 0], "not a spreadsheet"),
        BadFile(.html, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a PNG picture"),
        BadFile(.html, "%PDF-1.4", "a PDF"),
    ]

    /// PDFs, as ``FileCheck`` refuses them.
    package static let pdfs = [
        BadFile(.pdf, "%PDF-1.4 cut off", "%%EOF"),
        BadFile(.pdf, "<!doctype html><title>Sign in</title>", "an HTML page, not a PDF"),
    ]

    /// Archives, and a spreadsheet, that are made to do harm.
    package static let archives: [BadFile] = {
        let entry = ZIPBuilder.Entry("a.pdf", Array("content".utf8))
        var outside = entry
        outside.name = Array("../../a.pdf".utf8)
        let zeros = ZIPBuilder.Entry("zeros", [UInt8](repeating: 0, count: 4 << 20))
        var liar = zeros
        liar.size = 1000
        var inside = entry
        (inside.name, inside.place) = (Array("b.pdf".utf8), 0)
        var link = entry
        link.mode = 0o120777
        let whole = ZIPBuilder([entry, zeros]).bytes
        return [
            BadFile(.zip, ZIPBuilder([outside]).bytes, "leads out of its folder"),
            BadFile(.zip, ZIPBuilder([zeros]).bytes, "times its size"),
            BadFile(.zip, ZIPBuilder([liar]).bytes, "not what its directory announces"),
            BadFile(.zip, announcing(0xFFFF_FFFF, in: "a.pdf").bytes, "4 GB or more"),
            BadFile(.zip, ZIPBuilder([entry, inside]).bytes, "lies inside another one"),
            BadFile(.zip, ZIPBuilder([link]).bytes, "a link or a device"),
            BadFile(.zip, Array(whole.prefix(whole.count - 30)), "cut off"),
            BadFile(
                .xlsx,
                ZIPBuilder.workbook([("xl/worksheets/sheet1.xml", String(repeating: " ", count: 4 << 20))]).bytes,
                "times its size"),
        ]
    }()

    /// Every file.
    package static let all = pdfs + data + archives

    /// Returns an archive with one entry that announces so many bytes; by default it is a spreadsheet's.
    private static func announcing(_ size: Int, in name: String = "xl/workbook.xml") -> ZIPBuilder {
        var entry = ZIPBuilder.Entry(name, [1, 2, 3, 4])
        entry.size = size
        return ZIPBuilder([entry])
    }
}
