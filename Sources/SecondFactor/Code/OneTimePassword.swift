import Crypto
import Foundation
import Secrets

/// HOTP (RFC 4226, section 5.3) and, on a counter that is the time, TOTP (RFC 6238, section 4.2).
enum OneTimePassword {
    /// - Parameters:
    ///   - digits: 1 to 9; 31 bits give no more.
    static func value(key: SymmetricKey, counter: UInt64, digits: Int, algorithm: TOTPAlgorithm) -> UInt32 {
        switch algorithm {
        case .sha1: value(HMAC<Insecure.SHA1>.self, key, counter, digits)
        case .sha256: value(HMAC<SHA256>.self, key, counter, digits)
        case .sha512: value(HMAC<SHA512>.self, key, counter, digits)
        }
    }

    private static func value<Hash: HashFunction>(
        _: HMAC<Hash>.Type, _ key: SymmetricKey, _ counter: UInt64, _ digits: Int
    ) -> UInt32 {
        var hmac = HMAC<Hash>(key: key)
        withUnsafeBytes(of: counter.bigEndian) { hmac.update(data: $0) }
        return hmac.finalize().withUnsafeBytes { code in
            let offset = Int(code[code.count - 1] & 0x0F)
            let word = code.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return (UInt32(bigEndian: word) & 0x7FFF_FFFF) % powersOfTen[digits]
        }
    }

    private static let powersOfTen: [UInt32] = (0...9).map { (0..<$0).reduce(1) { result, _ in result * 10 } }

    /// The number in decimal digits, with leading zeros.
    static func digits(of value: UInt32, count: Int) -> Secret {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { buffer in
            var rest = value
            for index in buffer.indices.reversed() {
                buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            defer { buffer.update(repeating: 0) }
            return Secret(bytes: buffer)
        }
    }
}
