import Crypto
import Foundation
import Secrets

/// A key with its version, which every ciphertext under it names. After a change of keys it is known which ciphertexts are still
/// under the earlier one.
///
/// A ciphertext has the mark `vk`, the version as two bytes, then nonce, ciphertext and tag (AES-256-GCM). Mark and version
/// are authenticated. Each binding has a subkey of its own (HKDF-SHA256, RFC 5869), so the bound of NIST SP 800-38D,
/// section 8.3, on random nonces (2^32 for a key) is one name's alone.
package struct VersionedKey: Sendable {
    private static let mark = Array("vk".utf8)
    private static let headLength = 4
    private static let keyLength = 32

    package let version: Int
    private let bytes: Secret

    /// Makes a random key.
    ///
    /// - Parameter version: 1 to 65535.
    package init(version: Int) {
        self.version = version
        bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
    }

    /// Reads a stored key.
    ///
    /// - Parameter unversioned: the version of a key that was stored before keys had versions.
    /// - Throws: ``VaultError`` with `damaged` for another length.
    package init(_ stored: Secret, unversioned: Int) throws(VaultError) {
        switch stored.count {
        case Self.keyLength: (version, bytes) = (unversioned, stored)
        case Self.keyLength + 2:
            (version, bytes) = stored.withUnsafeBytes { stored in
                (Int(stored[0]) << 8 | Int(stored[1]), Secret(bytes: stored.dropFirst(2)))
            }
        default: throw VaultError(.damaged, "a key in the vault has another length")
        }
    }

    /// The form in which the key is stored: the version as two bytes, then the key.
    package var stored: Secret {
        var form = [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)]
        form.reserveCapacity(Self.keyLength + 2)
        bytes.withUnsafeBytes { form.append(contentsOf: $0) }
        defer { form.wipe() }
        return Secret(bytes: form)
    }

    private var head: [UInt8] {
        Self.mark + [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)]
    }

    private func subkey(_ binding: String) -> SymmetricKey {
        bytes.withUnsafeBytes {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0), info: Data("countersign versioned key 1 \(binding)".utf8),
                outputByteCount: Self.keyLength)
        }
    }

    /// Encrypts bytes that belong to a name.
    package func seal(_ plaintext: some DataProtocol, binding: String) throws -> [UInt8] {
        head + (try SealedBytes.seal(plaintext, under: subkey(binding), binding: head + Array(binding.utf8)))
    }

    /// Decrypts bytes of this version, or of before there were versions.
    ///
    /// - Throws: when the bytes were changed, belong to another name, or are of another version.
    package func open(_ sealed: [UInt8], binding: String) throws -> Secret {
        if Self.version(of: sealed) == version,
            let opened = try? SealedBytes.open(
                Array(sealed.dropFirst(Self.headLength)), under: subkey(binding), binding: head + Array(binding.utf8))
        {
            return opened
        }
        // A nonce can begin as the mark does.
        return try bytes.withUnsafeBytes {
            try SealedBytes.open(sealed, under: SymmetricKey(data: $0), binding: Array(binding.utf8))
        }
    }

    /// Returns the version that a ciphertext names; nil for one of before there were versions.
    package static func version(of sealed: [UInt8]) -> Int? {
        guard sealed.count > headLength, sealed.starts(with: mark) else { return nil }
        return Int(sealed[2]) << 8 | Int(sealed[3])
    }
}
