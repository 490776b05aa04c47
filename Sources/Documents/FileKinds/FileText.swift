/// The text of a checked file, for an index.
package enum FileText {
    /// Returns the text of a file that is not a PDF, at most `limit` bytes of it.
    ///
    /// - Throws: ``FileRefusal`` when the file is not what ``FileCheck`` has found.
    package static func text(
        of bytes: [UInt8], _ kind: FileKind, atMost limit: Int = 2 << 20
    ) throws(FileRefusal) -> String {
        try kind.text(bytes, limit).limited(to: limit)
    }

    /// Returns a file's text as it is.
    static func decoded(_ bytes: [UInt8], atMost limit: Int) throws(FileRefusal) -> String {
        do throws(ReadingError) {
            return try TextDecoding.text(bytes).limited(to: limit)
        } catch {
            throw FileRefusal(.damaged, error.description)
        }
    }

    /// Returns the text of a file of markup, with a space where a tag stands, and with XML's five entities read.
    static func withoutTags(_ bytes: [UInt8], atMost limit: Int) throws(FileRefusal) -> String {
        let text = try decoded(bytes, atMost: 4 * limit)
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
