import Crypto
import Encodings
import Foundation
import Secrets

/// Everything that a sealed token is bound to. A token that is moved to another user, connector or key cannot be opened.
package struct TokenBinding: Sendable, Hashable {
    package let userID: UUID
    package let connectorID: UUID
    package let key: KeyReference

    package init(userID: UUID, connectorID: UUID, key: KeyReference) {
        self.userID = userID
        self.connectorID = connectorID
        self.key = key
    }

    /// The associated data of the encryption.
    var bytes: [UInt8] {
        CBOR.array([
            .text("countersign token"), .bytes(Self.bytes(of: userID)), .bytes(Self.bytes(of: connectorID)),
            .text(key.tokenKeyID), .integer(key.tokenVersion),
        ]).encoded
    }

    private static func bytes(of id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }
}

/// A token in the form that the database keeps: encrypted with AES-256-GCM under a data key of its own, and the data key,
/// which only the key service can open.
package struct SealedToken: Sendable, Hashable {
    package let wrappedDataKey: [UInt8]
    /// Nonce, ciphertext and tag (NIST SP 800-38D).
    let box: [UInt8]

    /// Seals a token. The data key does not outlive this call.
    ///
    /// - Parameter wrap: encrypts the data key so that only the key service can open it.
    package static func seal(
        _ token: Secret, _ binding: TokenBinding,
        wrap: (_ dataKey: Secret, _ binding: TokenBinding) async throws -> [UInt8]
    ) async throws -> SealedToken {
        let dataKey = SymmetricKey(size: .bits256).withUnsafeBytes { Secret(bytes: $0) }
        defer { dataKey.wipe() }
        let wrapped = try await wrap(dataKey, binding)
        return try seal(token, binding, under: GeneratedDataKey(dataKey: dataKey, wrapped: wrapped))
    }

    /// Seals a token under a data key that a key service made.
    package static func seal(
        _ token: Secret, _ binding: TokenBinding, under made: GeneratedDataKey
    ) throws -> SealedToken {
        let key = made.dataKey.withUnsafeBytes { SymmetricKey(data: $0) }
        let box = try token.withUnsafeBytes { try AES.GCM.seal($0, using: key, authenticating: binding.bytes) }
        guard let combined = box.combined else { throw SealedTokenError.unreadable }
        return SealedToken(wrappedDataKey: made.wrapped, box: Array(combined))
    }

    /// Opens the token with its data key.
    ///
    /// - Throws: ``SealedTokenError/wrongKeyOrBinding``.
    package func open(with dataKey: Secret, _ binding: TokenBinding) throws(SealedTokenError) -> Secret {
        let key = dataKey.withUnsafeBytes { SymmetricKey(data: $0) }
        guard let box = try? AES.GCM.SealedBox(combined: box),
            var token = try? AES.GCM.open(box, using: key, authenticating: binding.bytes)
        else { throw .wrongKeyOrBinding }
        defer { token.resetBytes(in: 0..<token.count) }
        return Secret(bytes: token)
    }

    /// - Throws: ``SealedTokenError/unreadable``.
    package init(_ bytes: [UInt8]) throws(SealedTokenError) {
        guard let parts = (try? CBOR(bytes))?.arrayValue, parts.count == 3, parts[0].integerValue == 1,
            let wrapped = parts[1].bytesValue, let box = parts[2].bytesValue
        else { throw .unreadable }
        self.init(wrappedDataKey: wrapped, box: box)
    }

    private init(wrappedDataKey: [UInt8], box: [UInt8]) {
        self.wrappedDataKey = wrappedDataKey
        self.box = box
    }

    /// The bytes for the database.
    package var bytes: [UInt8] {
        CBOR.array([.integer(1), .bytes(wrappedDataKey), .bytes(box)]).encoded
    }
}

package enum SealedTokenError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable
    case wrongKeyOrBinding

    package var description: String {
        switch self {
        case .unreadable: "the sealed token is damaged: its bytes do not have the form of one"
        case .wrongKeyOrBinding:
            "the sealed token cannot be opened: it was changed, or it belongs to another user, connector or key"
        }
    }
}
