extension Secret {
    /// Tells whether a text holds this secret in a spelling that ``Redactor`` knows, or something that follows from it alone,
    /// such as its digest.
    ///
    /// - Parameter countsPlain: false to pass over the secret as it was typed, in whatever case.
    package func isSource(of text: String, countsPlain: Bool = true) -> Bool {
        let plain = revealed().lowercased()
        return Redactor.Spelling.all(of: Array(revealed().utf8)).contains { spelling in
            if !countsPlain, String(decoding: spelling.bytes.content, as: UTF8.self).lowercased() == plain {
                return false
            }
            var rest = text
            spelling.remove(from: &rest)
            return !rest.utf8.elementsEqual(text.utf8)
        }
    }

    /// Tells whether one of these texts contains the secret as a whole word, in any spelling that ``Redactor`` knows.
    ///
    /// A whole word has no ASCII letter or digit right before or after it, so that a short code is not found inside a
    /// longer number.
    package func occurs(inAnyOf texts: [[UInt8]]) -> Bool {
        guard !isEmpty else { return false }
        let words = Set(Redactor.Spelling.encodings(of: revealed()).map { Array($0.utf8) })
        return texts.contains { text in words.contains { Self.isWord($0, in: text) } }
    }

    private static func isWord(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = word.first, text.count >= word.count else { return false }
        for start in 0...(text.count - word.count) where text[start] == first {
            let end = start + word.count
            guard text[start..<end].elementsEqual(word) else { continue }
            let isOpen = start == 0 || !text[start - 1].isLetterOrDigit
            let isClosed = end == text.count || !text[end].isLetterOrDigit
            if isOpen, isClosed { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
