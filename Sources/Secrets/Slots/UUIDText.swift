import Foundation

/// UUIDs in the one form in which ids are written down here: that of RFC 9562, section 4, in lower case.
package enum UUIDText {
    /// A fresh one (version 4).
    package static func random() -> String { UUID().uuidString.lowercased() }

    package static func isCanonical(_ text: String) -> Bool { UUID(uuidString: text)?.uuidString.lowercased() == text }

    /// The 16 bytes of a canonical UUID; none of anything else.
    package static func bytes(_ text: String) -> [UInt8] {
        guard let uuid = UUID(uuidString: text)?.uuid else { return [] }
        return withUnsafeBytes(of: uuid) { Array($0) }
    }
}
