import Foundation

/// UUIDs in the only form that ids have here: RFC 9562, section 4, in lower case.
package enum UUIDText {
    /// Returns a new random UUID (version 4).
    package static func random() -> String { UUID().uuidString.lowercased() }

    package static func isCanonical(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.count == 36
                && bytes.indices.allSatisfy { place in
                    switch place {
                    case 8, 13, 18, 23: bytes[place] == UInt8(ascii: "-")
                    default: (0x30...0x39).contains(bytes[place]) || (0x61...0x66).contains(bytes[place])
                    }
                }
        }
    }

    /// Returns the 16 bytes of a canonical UUID, or an empty array for any other text.
    package static func bytes(_ text: String) -> [UInt8] {
        guard let uuid = UUID(uuidString: text)?.uuid else { return [] }
        return withUnsafeBytes(of: uuid) { Array($0) }
    }
}
