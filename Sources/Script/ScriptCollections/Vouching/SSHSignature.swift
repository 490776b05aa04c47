import Crypto
import Foundation

/// A signature that `ssh-keygen -Y sign` makes (OpenSSH, PROTOCOL.sshsig, version 1).
package struct SSHSignature: Sendable, Hashable {
    package let key: SSHKey
    private let namespace: String
    private let reserved: [UInt8]
    private let hash: String
    private let signature: [UInt8]

    static let begin = "-----BEGIN SSH SIGNATURE-----"
    static let end = "-----END SSH SIGNATURE-----"

    /// Reads the armored text.
    ///
    /// - Throws: ``CollectionError`` of kind `malformed`.
    package init(armored text: String) throws(CollectionError) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard lines.first == Self.begin, lines.last == Self.end,
            let bytes = Data(base64Encoded: lines.dropFirst().dropLast().joined())
        else { throw CollectionError(.malformed, "the signature is not one that ssh-keygen -Y sign makes") }
        var fields = SSHFields(Array(bytes))
        guard fields.skip(Array("SSHSIG".utf8)), fields.word() == 1, let blob = fields.next(),
            let namespace = fields.text(),
            let reserved = fields.next(), let hash = fields.text(), let signature = fields.next(), fields.isAtEnd
        else { throw CollectionError(.malformed, "the signature is not one of SSHSIG, version 1") }
        key = try SSHKey(blob: blob)
        self.namespace = namespace
        self.reserved = reserved
        self.hash = hash
        self.signature = signature
    }

    /// Returns whether the signature is over the message, for one purpose.
    ///
    /// - Parameter namespace: the purpose: a signature for another one, such as a git commit, does not count.
    package func verifies(_ message: [UInt8], namespace: String) -> Bool {
        guard namespace == self.namespace else { return false }
        let digest: [UInt8]
        switch hash {
        case "sha256": digest = Array(SHA256.hash(data: message))
        case "sha512": digest = Array(SHA512.hash(data: message))
        default: return false
        }
        let signed =
            Array("SSHSIG".utf8) + SSHFields.field(namespace.utf8) + SSHFields.field(reserved)
            + SSHFields.field(hash.utf8)
            + SSHFields.field(digest)
        return key.verifies(signature, over: signed)
    }
}
