/// Keeps the words of a page in their places beside a name that is written from right to left.
///
/// A number, a sign or another name behind Hebrew or Arabic letters is drawn on their other side (Unicode TR 9, rules W7 and N1
/// to N2). The name of a bank or of an account, which a stranger may have chosen, would then change what the sentence around it says.
extension PageTemplates {
    /// Returns a page in which each run of letters from right to left is isolated from what stands around it, by an element that a
    /// browser gives no other meaning (HTML, section 4.5.24).
    ///
    /// - Parameter page: HTML, or a part of a page, whose values are escaped.
    package static func isolating(_ page: String) -> String {
        guard page.unicodeScalars.contains(where: \.isRightToLeft) else { return page }
        let scalars = Array(page.unicodeScalars)
        var isolated = String.UnicodeScalarView()
        var place = 0
        while place < scalars.count {
            let start = place
            if scalars[start] == "<" {
                place = scalars.endOfTag(from: start)
                isolated.append(contentsOf: scalars[start..<place])
            } else if scalars[start].isRightToLeft {
                place = scalars.endOfRun(from: start)
                isolated.append(contentsOf: "<bdi>".unicodeScalars)
                isolated.append(contentsOf: scalars[start..<place])
                isolated.append(contentsOf: "</bdi>".unicodeScalars)
            } else {
                place += 1
                isolated.append(scalars[start])
            }
        }
        return String(isolated)
    }
}

extension [Unicode.Scalar] {
    /// The elements that have text and nothing else in them. Each stands alone.
    private static var textElements: [String] { ["<title", "<option", "<textarea"] }

    /// Returns the end of the tag that begins at a place, and of the text behind it where no other element can stand in that text.
    fileprivate func endOfTag(from start: Int) -> Int {
        guard let last = self[start...].firstIndex(of: ">") else { return count }
        let end = last + 1
        guard Self.textElements.contains(where: { self[start...].starts(with: $0.unicodeScalars) }) else { return end }
        return self[end...].firstIndex(of: "<") ?? count
    }

    /// Returns the end of the run of letters from right to left that begins at a place. The spaces, digits and signs between two of
    /// them belong to it, except those with which a page sets values apart.
    fileprivate func endOfRun(from start: Int) -> Int {
        var end = start + 1
        var place = end
        while place < count, !self[place].endsRun {
            if self[place].isRightToLeft || (place == end && self[place].isMark) { end = place + 1 }
            place += 1
        }
        // The second of two parentheses, of which the first is inside.
        if end < count, self[end] == ")", self[start..<end].contains("(") { end += 1 }
        return end
    }
}

extension Unicode.Scalar {
    /// True for the letters and digits of scripts that are written from right to left, by the blocks that Unicode keeps for them (TR
    /// 9, section 3.2; DerivedBidiClass.txt, defaults).
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
        default: false
        }
    }

    /// The signs with which the pages set a value apart from the next: quotation marks and what stands between two values.
    private static let separators: Set<Unicode.Scalar> = [
        "<", ",", ":", "·", "“", "”", "„", "«", "»", "‹", "›",
    ]

    fileprivate var endsRun: Bool {
        !isRightToLeft && (Self.separators.contains(self) || properties.isAlphabetic && !isMark)
    }

    fileprivate var isMark: Bool {
        [.nonspacingMark, .enclosingMark, .spacingMark].contains(properties.generalCategory)
    }
}
