/// Base16 (RFC 4648, section 8) in lower case, the form of digests and nonces.
package enum Base16 {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text.initializeElement(at: 2 * index, to: digits[Int(byte >> 4)])
                text.initializeElement(at: 2 * index + 1, to: digits[Int(byte & 15)])
            }
            return 2 * bytes.count
        }
    }

    /// Returns nil for a text that ``encode(_:)`` cannot produce.
    package static func decode(_ text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digits.firstIndex(of: $0).map(UInt8.init) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Returns true for a text that ``encode(_:)`` could produce from the given number of bytes.
    package static func isEncoding(_ text: some StringProtocol, ofBytes count: Int) -> Bool {
        text.utf8.count == 2 * count && text.utf8.allSatisfy(digits.contains)
    }
}
