import Foundation

extension Redactor {
    /// One way in which a secret may be written, to be found and removed. It is as sensitive as the secret, and lies in
    /// locked memory as the secret does.
    ///
    /// Both the search and the removal compare bytes. A comparison by characters passes over a secret before a combining
    /// mark, because the mark and the secret's last letter are one character.
    struct Spelling: Sendable {
        let bytes: LockedBytes
        let isWord: Bool
        /// True for a single character.
        let isCharacter: Bool

        init(text: String, isWord: Bool) {
            bytes = LockedBytes(text)
            self.isWord = isWord
            isCharacter = text.unicodeScalars.count == 1
        }

        /// Replaces the spelling by the mask, wherever it occurs.
        func remove(from text: inout String) {
            let clean = text.withUTF8 { removed(from: UnsafeRawBufferPointer($0)) }
            // A spelling is whole scalars, so the rest of the text is still valid UTF-8.
            if let clean { text = String(decoding: clean, as: UTF8.self) }
        }

        /// Returns nil when the spelling does not occur.
        private func removed(from text: UnsafeRawBufferPointer) -> [UInt8]? {
            var clean: [UInt8]?
            var start = 0
            var kept = 0
            while let place = Self.firstPlace(of: bytes.content, in: text, from: start) {
                let end = place + bytes.count
                guard !isWord || Self.isWord(place..<end, in: text) else {
                    start = place + 1
                    continue
                }
                let hidden = Self.identifier(around: place..<end, in: text)
                clean = (clean ?? []) + text[kept..<max(kept, hidden.lowerBound)] + Array(Secret.mask.utf8)
                start = hidden.upperBound
                kept = hidden.upperBound
            }
            return clean.map { $0 + text[kept...] }
        }

        /// Returns the range of a UUID or a digest in hex that has a secret in it, or else the secret's own range. A PIN is found in
        /// many an identifier, and who knows that one from elsewhere would read it off the gap.
        private static func identifier(around range: Range<Int>, in text: UnsafeRawBufferPointer) -> Range<Int> {
            guard text[range].allSatisfy(isOfIdentifier) else { return range }
            var start = range.lowerBound
            while start > 0, isOfIdentifier(text[start - 1]) { start -= 1 }
            var end = range.upperBound
            while end < text.count, isOfIdentifier(text[end]) { end += 1 }
            return text[start..<end].count { $0 != UInt8(ascii: "-") } >= 32 ? start..<end : range
        }

        private static func isOfIdentifier(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"):
                true
            default: false
            }
        }

        private static func firstPlace(
            of bytes: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int
        ) -> Int? {
            guard let first = bytes.first, let base = text.baseAddress else { return nil }
            let end = base + text.count
            var place = base + start
            while end - place >= bytes.count,
                let hit = memchr(place, Int32(first), end - place - bytes.count + 1)
            {
                if memcmp(hit, bytes.baseAddress!, bytes.count) == 0 { return UnsafeRawPointer(hit) - base }
                place = UnsafeRawPointer(hit) + 1
            }
            return nil
        }

        /// Returns whether neither a letter nor a digit stands right before or after a range.
        private static func isWord(_ range: Range<Int>, in text: UnsafeRawBufferPointer) -> Bool {
            // A scalar has at most four bytes.
            let before = String(decoding: text[max(0, range.lowerBound - 4)..<range.lowerBound], as: UTF8.self)
            let after = String(decoding: text[range.upperBound..<min(text.count, range.upperBound + 4)], as: UTF8.self)
            return before.unicodeScalars.last?.isLetterOrNumber != true
                && after.unicodeScalars.first?.isLetterOrNumber != true
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isLetterOrNumber: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
