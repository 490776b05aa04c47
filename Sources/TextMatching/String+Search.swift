import Foundation

extension String {
    /// Where the text stands literally, in bytes of UTF-8; the empty text stands nowhere.
    package func firstOffset(of wanted: String, from offset: Int = 0) -> Int? {
        withBytes { hay in wanted.withBytes { hay.firstOffset(of: $0, from: offset) } }
    }

    /// Contains the other text, be its letters composed in the same way or not (canonical equivalence, Unicode section
    /// 3.7); the empty text is contained in none.
    ///
    /// Foundation's `contains` ends the program for some texts with NULs.
    package func containsEquivalent(of other: String) -> Bool {
        if firstOffset(of: other) != nil { return true }
        guard !other.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return decomposedStringWithCanonicalMapping.firstOffset(of: other.decomposedStringWithCanonicalMapping) != nil
    }
}
