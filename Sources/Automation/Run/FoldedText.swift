import Foundation
import HTMLEngine

extension String {
    /// Contains, white space folded and case ignored; the empty text is contained in none.
    func containsFolded(_ other: String) -> Bool {
        FoldedText(self).contains(other)
    }
}

/// A text with its white space folded and its letters lowered. A script asks for several of them on every page, so it goes
/// byte by byte where the text is ASCII's.
struct FoldedText {
    private let bytes: [UInt8]
    private let isASCII: Bool

    init(_ text: String) {
        var text = text
        var isASCII = true
        // No letter is longer by more than half when it is lowered.
        bytes = text.withUTF8 { text in
            [UInt8](unsafeUninitializedCapacity: text.count + text.count / 2) { room, count in
                (count, isASCII) = Self.fold(text, into: room)
            }
        }
        self.isASCII = isASCII
    }

    /// - Returns: how much was written, and whether it is ASCII alone.
    private static func fold(
        _ text: UnsafeBufferPointer<UInt8>, into room: UnsafeMutableBufferPointer<UInt8>
    ) -> (count: Int, isASCII: Bool) {
        var count = 0
        var isASCII = true
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte > 0x20, byte < 0x80 {
                room[count] = byte &- 0x41 < 26 ? byte | 0x20 : byte
                count += 1
                index += 1
            } else if byte < 0x80 {
                let isSpace = byte == 0x20 || byte &- 0x09 <= 4
                if !isSpace || count > 0 && room[count - 1] != 0x20 {
                    room[count] = isSpace ? 0x20 : byte
                    count += 1
                }
                index += 1
            } else {
                let others = text[index...].prefix { $0 >= 0x80 }
                index = others.endIndex
                for scalar in String(decoding: others, as: UTF8.self).unicodeScalars {
                    let isSpace = scalar.properties.isWhitespace
                    if isSpace, count == 0 || room[count - 1] == 0x20 { continue }
                    if !isSpace { isASCII = false }
                    for byte in isSpace ? " ".utf8 : scalar.properties.lowercaseMapping.utf8 {
                        room[count] = byte
                        count += 1
                    }
                }
            }
        }
        if count > 0, room[count - 1] == 0x20 { count -= 1 }
        return (count, isASCII)
    }

    /// Folds the other text as well; the empty text is contained in none.
    func contains(_ other: String) -> Bool {
        let needle = FoldedText(other)
        guard !needle.bytes.isEmpty else { return false }
        guard needle.isASCII else {
            return String(decoding: bytes, as: UTF8.self).containsEquivalent(
                of: String(decoding: needle.bytes, as: UTF8.self))
        }
        return bytes.withUnsafeBufferPointer { hay in
            needle.bytes.withUnsafeBufferPointer { hay.firstOffset(of: $0) != nil }
        }
    }
}
