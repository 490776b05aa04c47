import CZlib

/// Writes ZIP archives, also such as no honest program writes.
package struct ZIPBuilder {
    package struct Entry: Sendable {
        package var name: [UInt8]
        /// The name in the entry's own header; nil for the same one.
        package var localName: [UInt8]?
        package var packed: [UInt8]
        package var size: Int
        package var checksum: UInt32
        package var method = 8
        package var flags = 0
        /// The Unix mode, such as 0o120777 for a link.
        package var mode = 0o100644
        /// The place that the directory announces; nil for the true one.
        package var place: Int?

        package init(_ name: String, _ content: [UInt8]) {
            self.name = Array(name.utf8)
            packed = ZIPBuilder.deflated(content)
            size = content.count
            checksum = UInt32(truncatingIfNeeded: crc32(0, content, UInt32(content.count)))
        }
    }

    package var entries: [Entry] = []

    package init(_ entries: [Entry] = []) { self.entries = entries }

    package init(_ files: [(String, String)]) { entries = files.map { Entry($0.0, Array($0.1.utf8)) } }

    /// Returns a raw DEFLATE stream: zlib's without its header and checksum.
    package static func deflated(_ content: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(content.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        precondition(compress2(&packed, &length, content, UInt(content.count), 9) == Z_OK)
        return Array(packed[2..<Int(length) - 4])
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let start = entry.place ?? bytes.count
            let local = entry.localName ?? entry.name
            bytes += [0x50, 0x4B, 3, 4] + two(20) + two(entry.flags) + two(entry.method) + four(0)
            bytes += four(Int(entry.checksum)) + four(entry.packed.count) + four(entry.size)
            bytes += two(local.count) + two(0) + local + entry.packed
            directory += [0x50, 0x4B, 1, 2] + [20, 3] + two(20) + two(entry.flags) + two(entry.method) + four(0)
            directory += four(Int(entry.checksum)) + four(entry.packed.count) + four(entry.size)
            directory +=
                two(entry.name.count) + two(0) + two(0) + two(0) + two(0) + four(entry.mode << 16) + four(start)
            directory += entry.name
        }
        let start = bytes.count
        return bytes + directory + [0x50, 0x4B, 5, 6] + two(0) + two(0) + two(entries.count) + two(entries.count)
            + four(directory.count) + four(start) + two(0)
    }

    private func two(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }
    private func four(_ number: Int) -> [UInt8] { two(number & 0xFFFF) + two(number >> 16 & 0xFFFF) }

    /// A workbook of one sheet, with further parts.
    package static func workbook(_ parts: [(String, String)] = []) -> ZIPBuilder {
        ZIPBuilder(
            [
                ("[Content_Types].xml", "<Types xmlns=\"x\"/>"), ("xl/workbook.xml", "<workbook xmlns=\"x\"/>"),
                ("xl/sharedStrings.xml", "<sst xmlns=\"x\"><si><t>Premium of the insurance</t></si></sst>"),
            ] + parts)
    }
}
