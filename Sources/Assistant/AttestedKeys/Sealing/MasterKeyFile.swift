import Crypto
import Encodings
import Foundation
import Machine
import Secrets

/// The key service's file of master keys, encrypted with AES-256-GCM under a sealing secret that lies elsewhere, e.g. in
/// a credential of the service manager. Neither the file nor the secret opens anything alone.
package struct MasterKeyFile: Sendable {
    private static let limit = 1 << 20
    /// The fewest bytes of a sealing secret.
    package static let minimumSecretLength = 32

    private let file: URL
    private let key: SymmetricKey

    /// - Throws: ``MasterKeyError/secretTooShort(_:)``.
    package init(_ file: URL, sealing secret: Secret) throws(MasterKeyError) {
        guard secret.count >= Self.minimumSecretLength else { throw .secretTooShort(secret.count) }
        self.file = file
        key = secret.withUnsafeBytes {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0), info: Data("countersign master keys".utf8),
                outputByteCount: 32)
        }
    }

    /// Makes the file with a first key of version 1. A file that is there stays.
    package func makeIfAbsent() throws {
        try underLock {
            guard access(file.path, F_OK) != 0 else { return }
            let id = "mk-" + Base16.encode(SymmetricKey(size: .init(bitCount: 64)).withUnsafeBytes { Array($0) })
            try write([MasterKey.make(KeyReference(tokenKeyID: id, tokenVersion: 1))])
        }
    }

    /// Returns all keys, the newest last.
    ///
    /// - Throws: `FileError`, ``MasterKeyError``.
    package func read() throws -> [MasterKey] {
        let bytes = try OpenedFile(file).bytes(atMost: Self.limit)
        guard let box = try? AES.GCM.SealedBox(combined: bytes),
            var plain = try? AES.GCM.open(box, using: key, authenticating: Self.associatedData)
        else { throw MasterKeyError.cannotBeOpened(file.path) }
        defer { plain.resetBytes(in: 0..<plain.count) }
        guard let keys = (try? CBOR(Array(plain)))?.arrayValue?.map(Self.key), !keys.isEmpty,
            keys.allSatisfy({ $0 != nil })
        else { throw MasterKeyError.cannotBeOpened(file.path) }
        return keys.compactMap(\.self)
    }

    /// Adds the next version. Earlier ones stay, until every token is sealed under the new one.
    ///
    /// - Returns: the new key.
    package func addVersion() throws -> MasterKey {
        try underLock {
            let keys = try read()
            guard let newest = keys.last?.reference else { throw MasterKeyError.cannotBeOpened(file.path) }
            let next = MasterKey.make(
                KeyReference(tokenKeyID: newest.tokenKeyID, tokenVersion: newest.tokenVersion + 1))
            try write(keys + [next])
            return next
        }
    }

    /// Removes a version for ever: what is sealed under it can then not be opened by anyone.
    package func remove(_ reference: KeyReference) throws {
        try underLock {
            let keys = try read()
            let rest = keys.filter { $0.reference != reference }
            guard !rest.isEmpty else { throw MasterKeyError.lastKey }
            try write(rest)
        }
    }

    private static let associatedData = Array("countersign master keys, version 1".utf8)

    private func underLock<Value>(_ body: () throws -> Value) throws -> Value {
        guard let lock = try FileLock(file.appendingPathExtension("lock"), waits: true) else {
            throw FileError("locked", file.path, EWOULDBLOCK)
        }
        return try withExtendedLifetime(lock, body)
    }

    private func write(_ keys: [MasterKey]) throws {
        let items = keys.map { key -> CBOR in
            .array([
                .text(key.reference.tokenKeyID), .integer(key.reference.tokenVersion),
                .bytes(key.privateKey.withUnsafeBytes { Array($0) }),
            ])
        }
        var plain = CBOR.array(items).encoded
        defer { plain.wipe() }
        let box = try AES.GCM.seal(plain, using: key, authenticating: Self.associatedData)
        guard let combined = box.combined else { throw MasterKeyError.cannotBeOpened(file.path) }
        try AtomicFile.replaceUnderLock(Array(combined), to: file)
    }

    private static func key(_ item: CBOR) -> MasterKey? {
        guard let parts = item.arrayValue, parts.count == 3, let id = parts[0].textValue,
            let version = parts[1].integerValue, var bytes = parts[2].bytesValue, bytes.count == 32
        else { return nil }
        defer { bytes.wipe() }
        return MasterKey(
            reference: KeyReference(tokenKeyID: id, tokenVersion: version), privateKey: Secret(bytes: bytes))
    }
}

package enum MasterKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case secretTooShort(Int)
    case cannotBeOpened(String)
    case lastKey
    /// No key has this id and version.
    case unknown(KeyReference)

    package var description: String {
        switch self {
        case .secretTooShort(let count):
            "the sealing secret of the master keys has \(count) bytes; it needs at least "
                + "\(MasterKeyFile.minimumSecretLength). Make one with: openssl rand -base64 48"
        case .cannotBeOpened(let path):
            "\(path) cannot be opened with this sealing secret, or was changed. Restore both from one backup"
        case .lastKey: "this is the only master key; without it no token could ever be opened. Add a version first"
        case .unknown(let key):
            "the key service has lost the master key \(key.tokenKeyID), version \(key.tokenVersion), or never had it"
        }
    }
}
