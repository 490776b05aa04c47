import TextMatching

/// Text of a stranger's mail. It is data: shown, compared with rules, and never followed.
package enum MailText {
    /// Returns a text that is safe to show in one line: without control characters, and without those that reorder or
    /// hide letters (Unicode TR 36, section 2.5); white space folded; at most `limit` characters.
    package static func cleaned(_ text: String, limit: Int = 200) -> String {
        var kept = String.UnicodeScalarView()
        // A letter may carry any number of marks, so scalars are bounded too.
        for scalar in text.unicodeScalars.prefix(8 * limit) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: kept.append(" ")
            case .format, .privateUse, .surrogate, .unassigned: continue
            case .nonspacingMark, .enclosingMark, .spacingMark:
                // Three marks in a row write every language; more pile up over the lines beside.
                guard kept.suffix(3).count < 3 || !kept.suffix(3).allSatisfy(\.isMark) else { continue }
                kept.append(scalar)
            default: kept.append(scalar)
            }
        }
        let folded = String(kept).foldingSpace
        return folded.count > limit ? folded.prefix(limit - 1) + "…" : folded
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        [.nonspacingMark, .enclosingMark, .spacingMark].contains(properties.generalCategory)
    }
}
