import Foundation

extension String {
    /// Returns the offset of the first literal occurrence, in bytes of UTF-8, or nil. The empty text occurs nowhere.
    package func firstOffset(of wanted: String, from offset: Int = 0) -> Int? {
        withBytes { hay in wanted.withBytes { hay.firstOffset(of: $0, from: offset) } }
    }

    /// Returns true if the text contains a canonically equivalent text (Unicode section 3.7). No text contains the empty
    /// text.
    ///
    /// Foundation's `contains` crashes on some texts with NULs.
    package func containsEquivalent(of other: String) -> Bool {
        if firstOffset(of: other) != nil { return true }
        guard !other.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return decomposedStringWithCanonicalMapping.firstOffset(of: other.decomposedStringWithCanonicalMapping) != nil
    }
}
