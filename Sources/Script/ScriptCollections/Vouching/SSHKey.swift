import Crypto
import Encodings
import Foundation

/// A public key of SSH: Ed25519 (RFC 8709, section 4) or ECDSA over P-256 (RFC 5656, section 3.1).
package struct SSHKey: Sendable, Hashable {
    private enum Public: Sendable {
        case ed25519(Curve25519.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
    }

    /// The key as SSH sends it.
    package let blob: [UInt8]
    private let key: Public

    package static func == (left: SSHKey, right: SSHKey) -> Bool { left.blob == right.blob }

    package func hash(into hasher: inout Hasher) { hasher.combine(blob) }

    /// Reads a line of a `.pub` file or of `authorized_keys`: the type, the key in base64, and perhaps a comment.
    ///
    /// - Throws: ``CollectionError`` of kind `malformed`, also for a key of another type.
    package init(line: String) throws(CollectionError) {
        let parts = line.split(whereSeparator: \.isWhitespace)
        guard parts.count >= 2, let blob = Data(base64Encoded: String(parts[1])) else {
            throw CollectionError(.malformed, "a reviewer's key is a line such as “ssh-ed25519 AAAA…”")
        }
        try self.init(blob: Array(blob))
    }

    /// - Throws: ``CollectionError`` of kind `malformed`.
    init(blob: [UInt8]) throws(CollectionError) {
        var fields = SSHFields(blob)
        self.blob = blob
        switch fields.text() {
        case "ssh-ed25519":
            guard let bytes = fields.next(), fields.isAtEnd,
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            else { throw CollectionError(.malformed, "the key of type ssh-ed25519 is broken") }
            self.key = .ed25519(key)
        case "ecdsa-sha2-nistp256":
            guard fields.text() == "nistp256", let bytes = fields.next(), fields.isAtEnd,
                let key = try? P256.Signing.PublicKey(x963Representation: bytes)
            else { throw CollectionError(.malformed, "the key of type ecdsa-sha2-nistp256 is broken") }
            self.key = .p256(key)
        case let type:
            throw CollectionError(
                .malformed,
                "a key of type \((type ?? "none").inLine(limit: 40)) cannot vouch; use ssh-ed25519: ssh-keygen -t ed25519"
            )
        }
    }

    /// The fingerprint that `ssh-keygen -l` prints.
    package var fingerprint: String {
        "SHA256:" + Data(SHA256.hash(data: blob)).base64EncodedString().replacing("=", with: "")
    }

    /// Returns whether a signature blob (RFC 8709, section 6; RFC 5656, section 3.1.2) is one of this key over the bytes.
    func verifies(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        var fields = SSHFields(signature)
        switch key {
        case .ed25519(let key):
            guard fields.text() == "ssh-ed25519", let raw = fields.next(), fields.isAtEnd else { return false }
            return key.isValidSignature(raw, for: bytes)
        case .p256(let key):
            guard fields.text() == "ecdsa-sha2-nistp256", let pair = fields.next(), fields.isAtEnd else { return false }
            var numbers = SSHFields(pair)
            guard let r = numbers.number(ofBytes: 32), let s = numbers.number(ofBytes: 32), numbers.isAtEnd,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: r + s)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes))
        }
    }
}

/// The fields of a message of SSH: each a length of four bytes, and so many bytes (RFC 4251, section 5).
struct SSHFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func next() -> [UInt8]? {
        guard let length = word(), rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    mutating func text() -> String? { next().flatMap { String(validating: $0, as: UTF8.self) } }

    /// Reads a number of four bytes.
    mutating func word() -> Int? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads these bytes.
    mutating func skip(_ expected: [UInt8]) -> Bool {
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }

    /// Reads a positive `mpint` as so many bytes.
    mutating func number(ofBytes count: Int) -> [UInt8]? {
        guard let bytes = next() else { return nil }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count <= count, bytes.first.map({ $0 < 0x80 }) ?? true else { return nil }
        return [UInt8](repeating: 0, count: count - digits.count) + digits
    }

    static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let count = bytes.count
        return [UInt8(count >> 24 & 255), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + bytes
    }
}
