extension Character {
    /// The columns of a terminal that the character takes: two for those of East Asia and for pictures, else one (Unicode Standard
    /// Annex 11, East Asian Width, version 15.1).
    ///
    /// A row that was counted in characters would be wider than the screen, and what follows in the next row would be a stranger's.
    package var columns: Int {
        guard let first = unicodeScalars.first, first.value >= 0x1100 else { return 1 }
        let isPicture = unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xFE0F }
        return isPicture || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks of wide characters, without pictures.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}

extension StringProtocol {
    /// The columns of a terminal that the text takes. It holds no control characters.
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the beginning of the text that has room in so many columns.
    package func prefix(columns: Int) -> SubSequence {
        var left = columns
        return prefix { character in
            left -= character.columns
            return left >= 0
        }
    }
}
