import Crypto
import Encodings

/// The code that admits one new user: 120 random bits.
package enum InvitationCode {
    package static func random() -> String {
        Base64URL.encode(SymmetricKey(size: .init(bitCount: 120)).withUnsafeBytes { Array($0) })
    }
}
