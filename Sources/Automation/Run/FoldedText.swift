import Foundation
import HTMLEngine

extension String {
    /// Contains, white space folded and case ignored; the empty text is contained in none.
    func containsFolded(_ other: String) -> Bool {
        FoldedText(self).contains(other)
    }
}

/// A text with its white space folded and its letters lowered. A script asks for several of them on every page, so most
/// of it goes byte by byte.
struct FoldedText {
    private var bytes: [UInt8] = []
    private var isASCII = true
    /// White space came that is yet to be written down.
    private var isPending = false

    init(_ text: String) {
        var text = text
        text.withUTF8 { text in
            var rest = text[...]
            while !rest.isEmpty {
                let plain = rest.prefix { $0 < 0x80 }
                if !plain.isEmpty { append(plain) }
                let others = rest[plain.endIndex...].prefix { $0 >= 0x80 }
                for scalar in String(decoding: others, as: UTF8.self).unicodeScalars { append(scalar) }
                rest = rest[others.endIndex...]
            }
        }
    }

    /// Of ASCII alone.
    private mutating func append(_ plain: Slice<UnsafeBufferPointer<UInt8>>) {
        let isFirst = bytes.isEmpty
        var isPending = isPending
        // One space may stand before what is there.
        let folded = [UInt8](unsafeUninitializedCapacity: plain.count + 1) { room, count in
            for byte in plain {
                if byte == 0x20 || (0x09...0x0D).contains(byte) {
                    isPending = !isFirst || count > 0
                    continue
                }
                if isPending {
                    room[count] = 0x20
                    count += 1
                    isPending = false
                }
                room[count] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                count += 1
            }
        }
        self.isPending = isPending
        if isFirst { bytes = folded } else { bytes += folded }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            isPending = !bytes.isEmpty
        } else {
            if isPending { bytes.append(0x20) }
            isPending = false
            isASCII = false
            bytes.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
        }
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
