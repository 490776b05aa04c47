/// Text that other people wrote, such as a subject or a meeting's title, on its way to a screen. It is data, never followed.
package enum ShownText {
    /// The most marks on one letter. Three write every language; more pile up over the lines beside.
    private static let mostMarks = 3

    /// Returns a text that is safe to show in one line: without control characters, and without those that reorder or
    /// hide letters (Unicode TR 36, section 2.5); white space folded.
    ///
    /// - Parameter limit: the most characters. A longer text ends in an ellipsis.
    package static func cleaned(_ text: String, limit: Int = 200) -> String {
        var kept = String.UnicodeScalarView()
        var marks = 0
        // A letter may carry any number of marks, so scalars are bounded too.
        for scalar in text.unicodeScalars.prefix(8 * limit) {
            var next = scalar
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: next = " "
            case .format where scalar == zeroWidthJoiner && kept.last.map(joins) == true: break
            case .format, .privateUse, .surrogate, .unassigned: continue
            default: break
            }
            marks = next.isMark ? marks + 1 : 0
            if marks <= mostMarks { kept.append(next) }
        }
        let folded = String(kept).split(separator: " ").joined(separator: " ")
        return folded.count > limit ? folded.prefix(max(0, limit - 1)) + "…" : folded
    }

    /// Joins emoji to one, such as a family. Between letters it would be invisible.
    private static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"

    /// Returns whether a scalar ends an emoji.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || scalar.properties.isEmojiModifier || scalar == "\u{FE0F}"
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }
}
