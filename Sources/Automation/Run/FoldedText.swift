import Foundation
import HTMLEngine

extension String {
    /// Contains, white space folded and case ignored; the empty text is contained in none.
    func containsFolded(_ other: String) -> Bool {
        let needle = FoldedText(other)
        return !needle.isEmpty && FoldedText(self).contains(needle)
    }
}

/// A text with its white space folded and its letters lowered. A script asks for several of them on every page, so most
/// of it goes byte by byte.
private struct FoldedText {
    private var bytes: [UInt8] = []
    private var isASCII = true

    init(_ text: String) {
        bytes.reserveCapacity(text.utf8.count)
        var isPending = false
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(scalar.value)
                if byte == 0x20 || (0x09...0x0D).contains(byte) {
                    isPending = !bytes.isEmpty
                } else {
                    if isPending { bytes.append(0x20) }
                    isPending = false
                    bytes.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
                }
            } else if scalar.properties.isWhitespace {
                isPending = !bytes.isEmpty
            } else {
                if isPending { bytes.append(0x20) }
                isPending = false
                isASCII = false
                bytes.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
            }
        }
    }

    var isEmpty: Bool { bytes.isEmpty }

    func contains(_ needle: FoldedText) -> Bool {
        guard needle.isASCII else {
            // What is written with one character may stand there with two, as letters with accents do.
            return String(decoding: bytes, as: UTF8.self).contains(String(decoding: needle.bytes, as: UTF8.self))
        }
        return bytes.withUnsafeBufferPointer { hay in
            needle.bytes.withUnsafeBufferPointer { hay.firstOffset(of: $0) != nil }
        }
    }
}
