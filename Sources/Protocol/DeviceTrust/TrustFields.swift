import Crypto
import Encodings
import Foundation
import Messages
import Secrets

/// Reads the members of a message of a pairing or a rotation. The message must have exactly the expected members, so
/// that both sides hash the same.
struct TrustFields {
    private let fields: MessageFields

    init(_ json: JSONValue, _ what: String, exactly names: Set<String>) throws(TrustError) {
        do {
            fields = try MessageFields(json, what: what)
        } catch {
            throw TrustError(error)
        }
        let seen = Set(fields.members.keys)
        if let missing = names.subtracting(seen).min() {
            throw TrustError(.malformed, "\(what) has no “\(missing)”")
        }
        if let unknown = seen.subtracting(names).min() {
            throw TrustError(.malformed, "\(what) has an unknown member “\(unknown.prefix(40))”")
        }
    }

    func check(version: String) throws(TrustError) {
        do {
            try fields.check(version: version)
        } catch {
            throw TrustError(error)
        }
    }

    func read<Value>(_ name: String, _ kind: String, _ read: (String) -> Value?) throws(TrustError) -> Value {
        do {
            return try fields.read(name, kind, read)
        } catch {
            throw TrustError(error)
        }
    }

    /// Returns nil when the member is null.
    func optional<Value>(_ name: String, _ kind: String, _ read: (String) -> Value?) throws(TrustError) -> Value? {
        if case .null? = fields.members[name] { return nil }
        return try self.read(name, kind, read)
    }

    func whole(_ name: String, in range: ClosedRange<Int>) throws(TrustError) -> Int {
        let number: Int
        do {
            number = try fields.whole(name)
        } catch {
            throw TrustError(error)
        }
        guard range.contains(number) else {
            throw TrustError(.malformed, "“\(name)” must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func object(_ name: String) -> JSONValue { fields.members[name] ?? .null }

    /// Reads exactly `count` bytes in base64url without padding.
    func bytes(_ name: String, count: Int) throws(TrustError) -> [UInt8] {
        try read(name, "\(count) bytes in base64url") { text in
            Base64URL.decode(text).flatMap { $0.count == count ? $0 : nil }
        }
    }
}

/// Hashes messages in their canonical form (RFC 8785).
enum TrustHash {
    static func sha256(_ members: JSONValue) -> [UInt8] {
        // Texts, small whole numbers and null always have a canonical form.
        Array(SHA256.hash(data: (try? members.canonicalBytes()) ?? []))
    }
}
