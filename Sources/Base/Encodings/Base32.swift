import Secrets

/// Base32 (RFC 4648, section 6) as people and QR codes write it: either case, with or without padding.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Returns the text in upper case without padding, spaces and hyphens (people group digits to copy them by hand).
    ///
    /// - Returns: nil if another character is outside the alphabet, or no encoder produces this length.
    package static func normalised(_ text: Secret) -> Secret? {
        var digits: [UInt8] = []
        defer { digits.wipe() }
        let isValid = text.withUnsafeBytes { bytes -> Bool in
            digits.reserveCapacity(bytes.count)
            var padding = 0
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "="): padding += 1
                case UInt8(ascii: " "), UInt8(ascii: "-"): continue
                case UInt8(ascii: "a")...UInt8(ascii: "z"): digits.append(byte & 0xDF)
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "2")...UInt8(ascii: "7"): digits.append(byte)
                default: return false
                }
                if padding > 0, byte != UInt8(ascii: "=") { return false }
            }
            return padding <= 6 && ![1, 3, 6].contains(digits.count % 8)
        }
        return isValid ? Secret(bytes: digits) : nil
    }

    /// Decodes a normalised text. Trailing bits that do not fill a byte are ignored.
    package static func decoded(_ normalised: Secret) -> Secret {
        normalised.withUnsafeBytes { digits in
            var bytes: [UInt8] = []
            defer { bytes.wipe() }
            bytes.reserveCapacity(digits.count * 5 / 8)
            var buffer: UInt32 = 0
            var bits = 0
            for digit in digits {
                buffer = buffer << 5 | UInt32(value(of: digit))
                bits += 5
                guard bits >= 8 else { continue }
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
            return Secret(bytes: bytes)
        }
    }

    /// Encodes without padding.
    package static func encoded(_ secret: Secret) -> Secret {
        secret.withUnsafeBytes { bytes in
            var digits: [UInt8] = []
            defer { digits.wipe() }
            digits.reserveCapacity(bytes.count * 8 / 5 + 1)
            var buffer: UInt32 = 0
            var bits = 0
            for byte in bytes {
                buffer = buffer << 8 | UInt32(byte)
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    digits.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
                }
            }
            if bits > 0 { digits.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
            return Secret(bytes: digits)
        }
    }

    private static func value(of digit: UInt8) -> UInt8 {
        digit >= UInt8(ascii: "A") ? digit - UInt8(ascii: "A") : digit - UInt8(ascii: "2") + 26
    }
}
