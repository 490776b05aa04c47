extension String {
    /// Returns true if the text contains another one, ignoring case and folding white space. No text contains the empty
    /// text.
    package func containsFolded(_ other: String) -> Bool {
        FoldedText(self).contains(other)
    }
}

/// A text with folded white space and lower-case letters, prepared for many searches: a script searches every page for
/// several texts.
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

    /// Returns true if the text contains another one, which is folded as well. No text contains the empty text.
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
