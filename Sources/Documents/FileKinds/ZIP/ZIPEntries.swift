/// The entries of a ZIP archive, as its central directory lists them.
///
/// Source: PKWARE APPNOTE 6.3.10. One disk, stored or deflated entries, no encryption, no ZIP64: what banks send needs no
/// more, and a reader that knows less has less to be deceived about. See `docs/decisions/0012-own-zip-reader.md`.
struct ZIPEntries {
    struct Entry {
        let name: String
        let isDeflated: Bool
        /// CRC-32 of the content.
        let checksum: UInt32
        /// Bytes in the archive.
        let packed: Int
        /// Bytes when unpacked, as announced.
        let size: Int
        /// The offset of the entry's local header.
        let start: Int
        /// The offset of its first byte.
        var data = 0

        var isFolder: Bool { name.hasSuffix("/") }
    }

    static let localMark: [UInt8] = [0x50, 0x4B, 3, 4]
    static let endMark: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let directoryMark: [UInt8] = [0x50, 0x4B, 1, 2]

    let bytes: [UInt8]
    let limits: FileLimits
    private(set) var entries: [Entry] = []

    /// Reads the directory, and checks names, limits and places without unpacking anything.
    ///
    /// - Throws: ``FileRefusal``.
    init(_ bytes: [UInt8], limits: FileLimits) throws(FileRefusal) {
        self.bytes = bytes
        self.limits = limits
        guard let end = Self.end(of: bytes) else {
            throw FileRefusal(.damaged, "the archive has no directory at its end; it is cut off, so download it again")
        }
        let count = bytes.number16(end + 10)
        let size = bytes.number32(end + 12)
        let start = bytes.number32(end + 16)
        guard count != 0xFFFF, size != 0xFFFF_FFFF, start != 0xFFFF_FFFF else { throw Self.huge }
        guard bytes.number16(end + 4) == 0, bytes.number16(end + 6) == 0, bytes.number16(end + 8) == count else {
            throw FileRefusal(.damaged, "the archive is one part of several; get it as one file")
        }
        guard count <= limits.entries else {
            throw FileRefusal(.tooLarge, "the archive has \(count) entries, and at most \(limits.entries) are allowed")
        }
        guard start + size == end else {
            throw FileRefusal(.damaged, "the archive's directory is not where its end says; download it again")
        }
        try readDirectory(from: start, to: end, count: count)
        try checkPlaces(before: start)
        try checkSizes()
    }

    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Returns the names in the directory, unchecked, to tell kinds of packages; empty without a directory.
    static func names(in bytes: [UInt8]) -> [String] {
        guard let end = end(of: bytes) else { return [] }
        var place = bytes.number32(end + 16)
        var names: [String] = []
        while names.count < 1000, place + 46 <= end, bytes.hasMark(directoryMark, at: place) {
            let length = bytes.number16(place + 28)
            let nameEnd = min(place + 46 + length, bytes.count)
            names.append(String(decoding: bytes[(place + 46)..<nameEnd], as: UTF8.self))
            place += 46 + length + bytes.number16(place + 30) + bytes.number16(place + 32)
        }
        return names
    }

    // MARK: The directory

    /// Returns the offset of the end record, whose comment has to end where the file ends, or where line ends and zero bytes
    /// begin that a server added.
    private static func end(of bytes: [UInt8]) -> Int? {
        let padding: Set<UInt8> = [0, 0x0A, 0x0D]
        let plain = bytes.lastIndex { !padding.contains($0) }.map { $0 + 1 } ?? 0
        // The last fields of the record are often zero, and no padding.
        for last in [bytes.count] + Array(plain...min(bytes.count, plain + 8)) where last >= 22 {
            for offset in stride(from: last - 22, through: max(0, last - 22 - 0xFFFF), by: -1)
            where bytes.hasMark(endMark, at: offset) && offset + 22 + bytes.number16(offset + 20) == last {
                return offset
            }
        }
        return nil
    }

    private mutating func readDirectory(from start: Int, to end: Int, count: Int) throws(FileRefusal) {
        var place = start
        var names: Set<String> = []
        for _ in 0..<count {
            guard place + 46 <= end, bytes.hasMark(Self.directoryMark, at: place) else { throw Self.damaged }
            let flags = bytes.number16(place + 8)
            let method = bytes.number16(place + 10)
            let (packed, size) = (bytes.number32(place + 20), bytes.number32(place + 24))
            let lengths = [28, 30, 32].map { bytes.number16(place + $0) }
            let local = bytes.number32(place + 42)
            let next = place + 46 + lengths.reduce(0, +)
            guard next <= end else { throw Self.damaged }
            let name = try EntryName.checked(Array(bytes[(place + 46)..<(place + 46 + lengths[0])]))
            guard packed != 0xFFFF_FFFF, size != 0xFFFF_FFFF, local != 0xFFFF_FFFF else { throw Self.huge }
            guard flags & 0x2041 == 0 else {
                throw FileRefusal(.forbidden, "the archive's entry \(name) is encrypted; get it without a password")
            }
            guard method == 0 || method == 8 else {
                throw FileRefusal(
                    .damaged, "the archive's entry \(name) is packed by method \(method); only DEFLATE is known")
            }
            // The upper half of the attributes is the mode of Unix, if it made the archive.
            let mode = bytes.number16(place + 40) & 0xF000
            guard bytes[place + 5] != 3 || [0, 0x4000, 0x8000].contains(mode) else {
                throw FileRefusal(.forbidden, "the archive's entry \(name) is a link or a device, not a file")
            }
            guard names.insert(name.lowercased()).inserted else {
                throw FileRefusal(.forbidden, "the archive has two entries \(name); which one is meant is not clear")
            }
            entries.append(
                Entry(
                    name: name, isDeflated: method == 8, checksum: UInt32(bytes.number32(place + 16)), packed: packed,
                    size: size, start: local))
            place = next
        }
        guard place == end else { throw Self.damaged }
    }

    /// Checks that each entry's own header says the same, and that no two entries share bytes, as they do in a bomb.
    private mutating func checkPlaces(before directory: Int) throws(FileRefusal) {
        var free = 0
        for index in entries.indices.sorted(by: { entries[$0].start < entries[$1].start }) {
            let entry = entries[index]
            guard entry.start >= free, entry.start + 30 <= directory, bytes.hasMark(Self.localMark, at: entry.start)
            else { throw entry.start < free ? Self.overlapping(entry.name) : Self.damaged }
            let nameLength = bytes.number16(entry.start + 26)
            let data = entry.start + 30 + nameLength + bytes.number16(entry.start + 28)
            guard data + entry.packed <= directory else { throw Self.damaged }
            let name = try EntryName.checked(Array(bytes[(entry.start + 30)..<(entry.start + 30 + nameLength)]))
            guard name == entry.name else {
                throw FileRefusal(
                    .forbidden, "the archive calls one entry \(entry.name) and \(name); which one is meant is not clear"
                )
            }
            entries[index].data = data
            free = data + entry.packed
        }
    }

    private func checkSizes() throws(FileRefusal) {
        var total = 0
        var packed = 0
        for entry in entries {
            total += entry.size
            packed += entry.packed
            guard entry.isDeflated || entry.size == entry.packed else { throw Self.damaged }
        }
        guard total <= limits.unpacked else {
            throw FileRefusal(
                .tooLarge, "the archive announces \(total) bytes, and at most \(limits.unpacked) are unpacked")
        }
        // Little text can be packed well without harm.
        guard total <= 1 << 20 || total <= limits.ratio * max(packed, 1) else {
            throw FileRefusal(
                .tooLarge,
                "the archive unpacks to \(total / max(packed, 1)) times its size, and at most \(limits.ratio) times is allowed"
            )
        }
    }

    // MARK: Refusals

    static let damaged = FileRefusal(.damaged, "the archive's directory is damaged; download it again")
    private static let huge = FileRefusal(
        .tooLarge, "the archive announces 4 GB or more, which no bank's document has; download its parts instead")

    private static func overlapping(_ name: String) -> FileRefusal {
        FileRefusal(.forbidden, "the archive's entry \(name) lies inside another one, as in a ZIP bomb")
    }
}

extension [UInt8] {
    /// Reads a number of two bytes, the lower one first.
    fileprivate func number16(_ place: Int) -> Int { Int(self[place]) | Int(self[place + 1]) << 8 }

    /// Reads a number of four bytes, the lowest one first.
    fileprivate func number32(_ place: Int) -> Int { number16(place) | number16(place + 2) << 16 }

    fileprivate func hasMark(_ mark: [UInt8], at place: Int) -> Bool {
        place + mark.count <= count && self[place..<(place + mark.count)].elementsEqual(mark)
    }
}
