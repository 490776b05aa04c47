extension String {
    /// The text in one line, with every scalar escaped that a reader would not see.
    ///
    /// A stranger's text must not control the terminal, begin a new line, or look like another text (Unicode TR 36, section
    /// 2.5). The escapes are JSON's, so that JSON keeps its meaning. Joiners inside an emoji stay.
    package var visible: String { hiddenScalars.isEmpty ? self : shownPieces.joined() }

    /// The text with each of its lines as ``visible``. Line feeds alone begin one.
    package var visibleLines: String {
        guard !hiddenScalars.isEmpty else { return self }
        return unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
            .joined(separator: "\n")
    }

    /// The scalars that ``visible`` escapes, in order.
    package var hiddenScalars: [Unicode.Scalar] {
        // Most lines are ASCII, which needs no table of Unicode's.
        guard utf8.contains(where: { !(0x20..<0x7F).contains($0) }) else { return [] }
        let scalars = Array(unicodeScalars)
        return scalars.indices.filter { scalars.hides(at: $0) }.map { scalars[$0] }
    }

    /// Returns the text as a value inside a line: ``visible``, without long runs of spaces, and cut in the middle.
    ///
    /// Both ends stay, because either of them can be the one that matters, such as the end of a host name. A cut text ends
    /// in its whole length, and is as it is when it is cut again.
    ///
    /// - Parameter limit: the most scalars, escapes included; at least 40.
    package func inLine(limit: Int = 200) -> String {
        let pieces = shownPieces.escapingRuns()
        guard pieces.length > limit else { return pieces.joined() }
        let note = " (\(count) characters)"
        let room = max(0, limit - note.count - 1)
        let end = pieces.reversed().fitting(in: room / 4)
        return pieces.fitting(in: room - end.length).joined() + "…" + end.reversed().joined() + note
    }

    /// A piece for each scalar: itself, or its escape.
    private var shownPieces: [String] {
        let scalars = Array(unicodeScalars)
        return scalars.indices.map { scalars.hides(at: $0) ? scalars[$0].escape : String(scalars[$0]) }
    }
}

extension [Unicode.Scalar] {
    /// Returns whether a scalar is hidden where it stands.
    fileprivate func hides(at index: Int) -> Bool {
        let scalar = self[index]
        guard scalar.isHidden else { return scalar.isMark && isBeyondMarks(at: index) }
        guard index > 0, self[index - 1].isEmojiPart else { return true }
        switch scalar {
        case "\u{200D}": return !joinsEmoji(at: index)
        case "\u{FE0F}": return self[index - 1] == scalar
        default: return true
        }
    }

    /// Returns whether a scalar is a joiner that makes one emoji of two.
    package func joinsEmoji(at index: Int) -> Bool {
        guard self[index] == "\u{200D}", index > 0, index + 1 < count else { return false }
        return self[index - 1].isEmojiPart && self[index + 1].isEmojiPart
    }

    /// The most marks of one letter that stay; written languages have four. A stack of more is drawn over the lines around it.
    private static var mostMarks: Int { 8 }

    private func isBeyondMarks(at index: Int) -> Bool {
        index >= Self.mostMarks && self[(index - Self.mostMarks)..<index].allSatisfy(\.isMark)
    }
}

extension [String] {
    /// The longest run of spaces that stays. With more of them a text can begin what looks like another row of a terminal.
    private static var longestRun: Int { 3 }

    /// The length in scalars. One character can have any number of marks.
    fileprivate var length: Int { reduce(0) { $0 + $1.unicodeScalars.count } }

    fileprivate func escapingRuns() -> [String] {
        var run = 0
        return map { piece in
            guard let scalar = piece.unicodeScalars.first, piece.unicodeScalars.count == 1,
                scalar.properties.generalCategory == .spaceSeparator
            else {
                run = 0
                return piece
            }
            run += 1
            return run > Self.longestRun ? scalar.escape : piece
        }
    }

    /// Returns the pieces from the beginning that have room, without a joiner at the end.
    fileprivate func fitting(in room: Int) -> [String] {
        var left = room
        var fitting = Array(
            prefix { piece in
                left -= piece.unicodeScalars.count
                return left >= 0
            })
        while fitting.last == "\u{200D}" || fitting.last == "\u{FE0F}" { fitting.removeLast() }
        return fitting
    }
}

extension Unicode.Scalar {
    /// True for a scalar that shows nothing, moves what stands around it, or has no agreed shape.
    fileprivate var isHidden: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse, .surrogate, .unassigned: return true
        default: return properties.isDefaultIgnorableCodePoint || Self.blanks.contains(self)
        }
    }

    /// Scalars without ink that Unicode counts neither as spaces nor as ignorable: a pattern of Braille, a note's head, and a
    /// filler of the Khitan script.
    private static let blanks: Set<Unicode.Scalar> = ["\u{2800}", "\u{1D159}", "\u{16FE4}"]

    /// True for a scalar that is drawn above, below or around the letter before it.
    fileprivate var isMark: Bool {
        guard value > 0x7F else { return false }
        return [.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    /// True for a scalar of an emoji, other than the digits and signs that keycaps are made of.
    fileprivate var isEmojiPart: Bool { value > 0x7F && properties.isEmoji || value == 0xFE0F }

    /// The escape of JSON (RFC 8259, section 7).
    fileprivate var escape: String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
