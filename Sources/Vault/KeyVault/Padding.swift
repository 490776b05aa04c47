import Foundation
import Secrets

/// ISO/IEC 7816-4 padding to a multiple of 64 bytes, so that the file does not reveal the length of a password.
enum Padding {
    static let block = 64

    static func added(to secret: Secret) -> Secret {
        secret.withUnsafeBytes { bytes in
            var padded = Array(bytes) + [0x80]
            padded += [UInt8](repeating: 0, count: (block - padded.count % block) % block)
            defer { padded.wipe() }
            return Secret(bytes: padded)
        }
    }

    static func removed(from padded: Secret) throws(VaultError) -> Secret {
        let plain = padded.withUnsafeBytes { bytes -> Secret? in
            guard let mark = bytes.lastIndex(where: { $0 != 0 }), bytes[mark] == 0x80 else { return nil }
            return Secret(bytes: bytes[..<mark])
        }
        padded.wipe()
        guard let plain else { throw VaultError(.damaged, "an entry of the vault is not padded") }
        return plain
    }
}
