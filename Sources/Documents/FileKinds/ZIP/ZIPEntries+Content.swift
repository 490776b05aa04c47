import CZlib

extension ZIPEntries {
    /// Unpacks every entry once, piece by piece, and checks sizes and checksums. Nothing is kept.
    ///
    /// - Throws: ``FileRefusal`` that names the entry.
    func check() throws(FileRefusal) {
        for entry in entries where !entry.isFolder { try unpack(entry) { _ in } }
    }

    /// Returns the content of an entry.
    ///
    /// - Throws: ``FileRefusal`` when it is not as announced.
    func content(of entry: Entry) throws(FileRefusal) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(entry.size)
        try unpack(entry) { content.append(contentsOf: $0) }
        return content
    }

    private static let pieceLength = 64 << 10

    /// Calls `body` with the content in pieces. An entry that grows beyond its announced size ends there.
    private func unpack(_ entry: Entry, _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(FileRefusal) {
        var checksum = crc32(0, nil, 0)
        var size = 0
        func take(_ piece: UnsafeBufferPointer<UInt8>) {
            checksum = crc32(checksum, piece.baseAddress, UInt32(piece.count))
            size += piece.count
            body(piece)
        }
        let isWhole = bytes.withUnsafeBufferPointer { all in
            let packed = UnsafeBufferPointer(rebasing: all[entry.data..<(entry.data + entry.packed)])
            guard entry.isDeflated else {
                take(packed)
                return true
            }
            return Self.inflate(packed) { piece in
                guard size + piece.count <= entry.size else { return false }
                take(piece)
                return true
            }
        }
        guard isWhole, size == entry.size, UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
            throw FileRefusal(
                .damaged, "the archive's entry \(entry.name) is not what its directory announces; download it again")
        }
    }

    /// Inflates a whole DEFLATE stream (RFC 1951).
    ///
    /// - Parameter take: called with each piece; returns false to end.
    /// - Returns: whether the stream ended where the bytes end, and every piece was taken.
    private static func inflate(
        _ packed: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        var stream = z_stream()
        guard countersign_inflate_begin(&stream) == Z_OK else { return false }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: packed.baseAddress)
        stream.avail_in = UInt32(packed.count)
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceLength)
        defer { piece.deallocate() }
        while true {
            stream.next_out = piece.baseAddress
            stream.avail_out = UInt32(pieceLength)
            let status = CZlib.inflate(&stream, Z_NO_FLUSH)
            guard status == Z_OK || status == Z_STREAM_END else { return false }
            let count = pieceLength - Int(stream.avail_out)
            guard take(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(piece)[..<count])) else { return false }
            if status == Z_STREAM_END { return stream.avail_in == 0 }
        }
    }
}
