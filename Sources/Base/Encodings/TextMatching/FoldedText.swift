import Synchronization

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
    /// The text as it is seen, made for the first search that needs it.
    private let seen = SeenForm()

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
        if needle.isASCII {
            let isFound = bytes.withUnsafeBufferPointer { hay in needle.withBytes { hay.firstOffset(of: $0) != nil } }
            if isFound { return true }
        } else if String(decoding: bytes, as: UTF8.self).containsEquivalent(of: String(needle)) {
            return true
        }
        let wanted = String(needle)
        guard !wanted.isEmpty else { return false }
        let mayDiffer = wanted.mayLookDifferent || bytes.withUnsafeBufferPointer { $0.mayLookDifferent }
        return mayDiffer && seen.form(of: bytes).containsEquivalent(of: wanted.asSeen)
    }
}

/// A text as it is seen, kept once it is made.
private final class SeenForm: Sendable {
    private let form = Mutex<String?>(nil)

    func form(of bytes: [UInt8]) -> String {
        form.withLock { form in
            if let form { return form }
            let made = String(decoding: bytes, as: UTF8.self).asSeen
            form = made
            return made
        }
    }
}
