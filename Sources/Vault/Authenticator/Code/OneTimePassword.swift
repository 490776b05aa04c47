import Crypto
import Foundation
import Secrets

/// HOTP (RFC 4226, section 5.3), and TOTP (RFC 6238, section 4.2) with the time as its counter.
///
/// The HMAC state is prepared from the key once: that takes most of a code's time, and each preparation leaves copies
/// of the key in memory. The state is overwritten when its last reference goes away.
struct OneTimePassword: Sendable {
    private enum Authenticator: Sendable {
        case sha1(HMAC<Insecure.SHA1>)
        case sha256(HMAC<SHA256>)
        case sha512(HMAC<SHA512>)
    }

    private let authenticator: Authenticator

    init(key: SymmetricKey, algorithm: TOTPAlgorithm) {
        authenticator =
            switch algorithm {
            case .sha1: .sha1(HMAC(key: key))
            case .sha256: .sha256(HMAC(key: key))
            case .sha512: .sha512(HMAC(key: key))
            }
    }

    /// - Parameter digits: 1 to 9, the most that 31 bits provide.
    func value(counter: UInt64, digits: Int) -> UInt32 {
        switch authenticator {
        case .sha1(let hmac): Self.value(hmac, counter, digits)
        case .sha256(let hmac): Self.value(hmac, counter, digits)
        case .sha512(let hmac): Self.value(hmac, counter, digits)
        }
    }

    private static func value<Hash: HashFunction>(_ prepared: HMAC<Hash>, _ counter: UInt64, _ digits: Int) -> UInt32 {
        var hmac = prepared
        withUnsafeBytes(of: counter.bigEndian) { hmac.update(data: $0) }
        return hmac.finalize().withUnsafeBytes { code in
            let offset = Int(code[code.count - 1] & 0x0F)
            let word = code.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return (UInt32(bigEndian: word) & 0x7FFF_FFFF) % powersOfTen[digits]
        }
    }

    private static let powersOfTen: [UInt32] = (0...9).map { (0..<$0).reduce(1) { result, _ in result * 10 } }

    /// Returns the number in decimal digits, with leading zeros.
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
