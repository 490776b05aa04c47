extension String {
    /// Contains, white space folded and case ignored; the empty text is contained in none.
    package func containsFolded(_ other: String) -> Bool {
        FoldedText(self).contains(other)
    }
}

/// A text with its white space folded and its letters lowered: a script asks for several others in it on every page.
package struct FoldedText: Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        self.init(Self.folding(text))
    }

    private static func folding(_ text: String) -> SpaceFolding {
        var folding = SpaceFolding(room: text.utf8.count, lowersCase: true)
        text.withBytes { folding.add($0) }
        return folding
    }

    package init(_ folding: borrowing SpaceFolding) {
        bytes = folding.withBytes { Array($0) }
    }

    /// Folds the other text as well; the empty text is contained in none.
    package func contains(_ other: String) -> Bool {
        let needle = Self.folding(other)
        guard needle.isASCII else {
            return String(decoding: bytes, as: UTF8.self).containsEquivalent(of: String(needle))
        }
        return bytes.withUnsafeBufferPointer { hay in
            needle.withBytes { hay.firstOffset(of: $0) != nil }
        }
    }
}
