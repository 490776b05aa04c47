/// Reads the structures of a TPM 2.0 (TCG, "Trusted Platform Module Library", part 2): numbers are big-endian, and a buffer
/// has its length in two bytes in front.
struct TPMReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _: Number.Type
    ) throws(EvidenceError) -> Number {
        try take(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func buffer(atMost limit: Int) throws(EvidenceError) -> [UInt8] {
        let count = Int(try number(UInt16.self))
        guard count <= limit else { throw .malformed("a buffer of the TPM has more than \(limit) bytes") }
        return try take(count)
    }

    mutating func take(_ count: Int) throws(EvidenceError) -> [UInt8] {
        guard count <= bytes.count - offset else { throw .malformed("a structure of the TPM is cut off") }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Checks that every byte was read.
    func finish() throws(EvidenceError) {
        guard offset == bytes.count else { throw .malformed("bytes are left over after a structure of the TPM") }
    }
}

/// Numbers of algorithms (TCG, "Algorithm Registry", section 6).
enum TPMAlgorithm {
    static let sha256: UInt16 = 0x000B
    static let rsaSSA: UInt16 = 0x0014
    static let ecdsa: UInt16 = 0x0018
}
