import Foundation

/// UUIDs in the one form in which ids are written down here: that of RFC 9562, section 4, in lower case.
package enum UUIDText {
    /// A fresh one (version 4).
    package static func random() -> String { UUID().uuidString.lowercased() }

    package static func isCanonical(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { place, byte in
                switch place {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                }
            }
    }

    /// The 16 bytes of a canonical UUID; none of anything else.
    package static func bytes(_ text: String) -> [UInt8] {
        guard let uuid = UUID(uuidString: text)?.uuid else { return [] }
        return withUnsafeBytes(of: uuid) { Array($0) }
    }
}
