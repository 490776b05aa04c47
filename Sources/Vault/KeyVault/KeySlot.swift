import Crypto
import Encodings
import Foundation
import Secrets

/// One way to open a vault. Its fields are not secret; the vault's authentication covers all of them.
package struct KeySlot: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case passphrase(ScryptParameters, salt: [UInt8])
        case passkey(Passkey)
        /// Opens with the passkey and the passphrase together, and with neither of them alone.
        case both(Passkey, ScryptParameters, salt: [UInt8])
    }

    /// A WebAuthn credential whose PRF extension opens the slot.
    package struct Passkey: Sendable, Hashable {
        package let credentialID: [UInt8]
        /// The COSE_Key (RFC 9052) from the authenticator's registration.
        package let publicKey: [UInt8]
        /// The input of the authenticator's pseudo-random function (WebAuthn level 3, section 10.1.4).
        package let prfInput: [UInt8]

        package init(credentialID: [UInt8], publicKey: [UInt8], prfInput: [UInt8]) {
            self.credentialID = credentialID
            self.publicKey = publicKey
            self.prfInput = prfInput
        }
    }

    /// A lower-case UUID.
    package let id: String
    /// The name that the owner gave it.
    package let name: String
    package let createdAt: Date
    package let kind: Kind

    package var passkey: Passkey? {
        switch kind {
        case .passkey(let passkey), .both(let passkey, _, _): passkey
        case .passphrase: nil
        }
    }

    /// True if the slot opens only with the passkey and the passphrase together.
    package var needsBoth: Bool { if case .both = kind { true } else { false } }

    package var isPassphrase: Bool { passkey == nil }

    init(name: String, createdAt: Date, kind: Kind) {
        id = UUIDText.random()
        self.name = name
        // Whole seconds, so that a slot reads back equal to the slot that was written.
        self.createdAt = Date(timeIntervalSince1970: createdAt.timeIntervalSince1970.rounded(.down))
        self.kind = kind
    }

    /// Derives the key that wraps the vault key from a passphrase.
    func wrappingKey(passphrase: Secret) throws -> SymmetricKey? {
        guard case .passphrase(let parameters, let salt) = kind else { return nil }
        return try parameters.key(from: passphrase, salt: salt)
    }

    /// Derives the key that wraps the vault key from the passphrase and the output of the passkey's function together.
    func wrappingKey(passphrase: Secret, passkeyOutput: Secret) throws -> SymmetricKey? {
        guard case .both(let passkey, let parameters, let salt) = kind else { return nil }
        let stretched = try parameters.key(from: passphrase, salt: salt)
        // Both halves have a fixed size, so no other pair has the same concatenation.
        let material = stretched.withUnsafeBytes { first in
            passkeyOutput.withUnsafeBytes { second in
                var bytes = Array(first) + Array(second)
                defer { bytes.wipe() }
                return SymmetricKey(data: bytes)
            }
        }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: passkey.prfInput,
            info: Data("countersign passkey and passphrase slot 1 \(id)".utf8), outputByteCount: VaultKey.size)
    }

    /// Derives the key that wraps the vault key from the output of the authenticator's pseudo-random function.
    func wrappingKey(passkeyOutput: Secret) -> SymmetricKey? {
        guard case .passkey(let passkey) = kind else { return nil }
        return passkeyOutput.withUnsafeBytes { output in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: output), salt: passkey.prfInput,
                info: Data("countersign passkey slot 1 \(id)".utf8), outputByteCount: VaultKey.size)
        }
    }
}

extension KeySlot {
    /// The slot's own fields, which its wrapping is bound to.
    var json: JSONValue {
        var fields: [String: JSONValue] = [
            "id": .string(id), "name": .string(name), "created_at": .number(createdAt.timeIntervalSince1970),
        ]
        switch kind {
        case .passphrase(let scrypt, let salt):
            fields["kind"] = "passphrase"
            fields.merge(Self.json(scrypt, salt)) { $1 }
        case .passkey(let passkey):
            fields["kind"] = "passkey"
            fields.merge(passkey.json) { $1 }
        case .both(let passkey, let scrypt, let salt):
            fields["kind"] = "passkey and passphrase"
            fields.merge(Self.json(scrypt, salt)) { $1 }
            fields.merge(passkey.json) { $1 }
        }
        return .object(fields)
    }

    private static func json(_ scrypt: ScryptParameters, _ salt: [UInt8]) -> [String: JSONValue] {
        [
            "n": .number(Double(scrypt.cost)), "r": .number(Double(scrypt.blockSize)),
            "p": .number(Double(scrypt.parallelism)), "salt": .string(Base64URL.encode(salt)),
        ]
    }

    init(json: JSONValue) throws(VaultError) {
        guard let id = json["id"]?.stringValue, UUIDText.isCanonical(id),
            let name = json["name"]?.stringValue, let createdAt = json["created_at"]?.intValue
        else { throw VaultError(.damaged, "a key slot has no id, name or time") }
        self.id = id
        self.name = name
        self.createdAt = Date(timeIntervalSince1970: Double(createdAt))
        switch json["kind"]?.stringValue {
        case "passphrase":
            let (scrypt, salt) = try Self.scrypt(json, id)
            kind = .passphrase(scrypt, salt: salt)
        case "passkey": kind = .passkey(try Passkey(json, id))
        case "passkey and passphrase":
            let (scrypt, salt) = try Self.scrypt(json, id)
            kind = .both(try Passkey(json, id), scrypt, salt: salt)
        default: throw VaultError(.unsupported, "key slot \(id) is of a kind that this version does not know")
        }
    }

    private static func scrypt(
        _ json: JSONValue, _ id: String
    ) throws(VaultError) -> (parameters: ScryptParameters, salt: [UInt8]) {
        guard let cost = json["n"]?.intValue, let blockSize = json["r"]?.intValue,
            let parallelism = json["p"]?.intValue, let salt = Base64URL.decode(json["salt"]), salt.count >= 16
        else { throw VaultError(.damaged, "key slot \(id) has no scrypt parameters") }
        let parameters = ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
        guard parameters.isAffordable else {
            throw VaultError(.unsupported, "key slot \(id) asks for more memory or time than this version allows")
        }
        return (parameters, salt)
    }
}

extension KeySlot.Passkey {
    fileprivate var json: [String: JSONValue] {
        [
            "credential_id": .string(Base64URL.encode(credentialID)),
            "public_key": .string(Base64URL.encode(publicKey)), "prf_input": .string(Base64URL.encode(prfInput)),
        ]
    }

    fileprivate init(_ json: JSONValue, _ slot: String) throws(VaultError) {
        guard let credentialID = Base64URL.decode(json["credential_id"]), (1...1023).contains(credentialID.count),
            let publicKey = Base64URL.decode(json["public_key"]),
            let prfInput = Base64URL.decode(json["prf_input"]), prfInput.count == 32
        else { throw VaultError(.damaged, "key slot \(slot) has no passkey") }
        self.init(credentialID: credentialID, publicKey: publicKey, prfInput: prfInput)
    }
}
