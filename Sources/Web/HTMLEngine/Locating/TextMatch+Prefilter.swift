import Encodings
import Selectors

/// A cheap test before the real comparison, which folds case and costs ten times as much.
///
/// Budget: the warm fetch (1.3 times bare libcurl).
extension TextMatch {
    /// A cheap test of whether a text, or a part of it, may match. When it returns false, nothing in the text matches.
    var roughly: (String) -> Bool {
        guard case .name(let name) = self else { return { _ in true } }
        let wanted = String(name.foldingSpace.loweringCase.withoutLabelEnding)
        // Other characters have several spellings, and so do these two: U+037E and U+1FEF are equivalent to them in
        // Unicode.
        guard !wanted.isEmpty, wanted.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x3B && $0 != 0x60 }) else {
            return { _ in true }
        }
        return { $0.mayHold(lowered: wanted) }
    }
}

extension String {
    /// Returns whether the text may contain another, ignoring case, decided without lowering the text. False is
    /// certain.
    ///
    /// - Parameter wanted: not empty, ASCII in lower case, without characters that others are equivalent to.
    fileprivate func mayHold(lowered wanted: String) -> Bool {
        withBytes { text in
            wanted.withBytes { wanted in
                for (index, byte) in text.enumerated() {
                    // The dotted I (U+0130) becomes ASCII when lowered, and other characters look like ASCII.
                    if byte >= 0xC2, byte == 0xC4 || text.mayLookDifferent(at: index) { return true }
                    guard byte.asciiLowercased == wanted[0], text.count - index >= wanted.count else { continue }
                    if wanted.indices.allSatisfy({ text[index + $0].asciiLowercased == wanted[$0] }) { return true }
                }
                return false
            }
        }
    }
}
