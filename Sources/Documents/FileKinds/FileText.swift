import Markup

/// The text of a checked file, for an index.
package enum FileText {
    /// Returns the text of a file that is not a PDF, at most `limit` bytes of it.
    ///
    /// - Throws: ``FileRefusal`` when the file is not what ``FileCheck`` has found.
    package static func text(
        of bytes: [UInt8], _ kind: FileKind, atMost limit: Int = 2 << 20
    ) throws(FileRefusal) -> String {
        switch kind {
        case .pdf: return ""
        case .csv, .mt940, .qif, .json: return try decoded(bytes, limit)
        case .ofx, .camt: return withoutTags(try decoded(bytes, 4 * limit)).limited(to: limit)
        case .xlsx: return try Workbook.text(bytes, atMost: limit).limited(to: limit)
        case .zip: return ZIPEntries.names(in: bytes).joined(separator: "\n").limited(to: limit)
        case .html: return try CleanPage.text(bytes).limited(to: limit)
        }
    }

    private static func decoded(_ bytes: [UInt8], _ limit: Int) throws(FileRefusal) -> String {
        do throws(ReadingError) {
            return try TextDecoding.text(bytes).limited(to: limit)
        } catch {
            throw FileRefusal(.damaged, error.description)
        }
    }

    /// Puts a space where a tag stands, and reads XML's five entities.
    private static func withoutTags(_ text: String) -> String {
        var result: [UInt8] = []
        var isInTag = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "<") { isInTag = true }
            if !isInTag { result.append(byte) }
            if byte == UInt8(ascii: ">"), isInTag {
                isInTag = false
                result.append(0x20)
            }
        }
        var plain = String(decoding: result, as: UTF8.self)
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            plain.replace(entity, with: character)
        }
        return plain
    }
}

extension String {
    /// The first bytes of the text, without a broken character at the end.
    fileprivate func limited(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
