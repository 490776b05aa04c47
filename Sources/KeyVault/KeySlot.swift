import Crypto
import Encodings
import Foundation
import JSON
import Secrets

/// One way to open a vault. Its fields are not secret; the vault's authentication covers all of them.
public struct KeySlot: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case passphrase(ScryptParameters, salt: [UInt8])
        case passkey(Passkey)
    }

    /// A WebAuthn credential whose PRF extension opens the slot.
    public struct Passkey: Sendable, Hashable {
        public let credentialID: [UInt8]
        /// The COSE_Key (RFC 9052) from the authenticator's registration.
        public let publicKey: [UInt8]
        /// The input of the authenticator's pseudo-random function (WebAuthn level 3, section 10.1.4).
        public let prfInput: [UInt8]

        public init(credentialID: [UInt8], publicKey: [UInt8], prfInput: [UInt8]) {
            self.credentialID = credentialID
            self.publicKey = publicKey
            self.prfInput = prfInput
        }
    }

    /// A lower-case UUID.
    public let id: String
    /// The name that the owner gave it.
    public let name: String
    public let createdAt: Date
    public let kind: Kind

    public var passkey: Passkey? {
        if case .passkey(let passkey) = kind { passkey } else { nil }
    }

    public var isPassphrase: Bool { passkey == nil }

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
            fields["n"] = .number(Double(scrypt.cost))
            fields["r"] = .number(Double(scrypt.blockSize))
            fields["p"] = .number(Double(scrypt.parallelism))
            fields["salt"] = .string(Base64URL.encode(salt))
        case .passkey(let passkey):
            fields["kind"] = "passkey"
            fields["credential_id"] = .string(Base64URL.encode(passkey.credentialID))
            fields["public_key"] = .string(Base64URL.encode(passkey.publicKey))
            fields["prf_input"] = .string(Base64URL.encode(passkey.prfInput))
        }
        return .object(fields)
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
            guard let cost = json["n"]?.intValue, let blockSize = json["r"]?.intValue,
                let parallelism = json["p"]?.intValue, let salt = Base64URL.decode(json["salt"]), salt.count >= 16
            else { throw VaultError(.damaged, "key slot \(id) has no scrypt parameters") }
            let parameters = ScryptParameters(cost: cost, blockSize: blockSize, parallelism: parallelism)
            guard parameters.isAffordable else {
                throw VaultError(.unsupported, "key slot \(id) asks for more memory or time than this version allows")
            }
            kind = .passphrase(parameters, salt: salt)
        case "passkey":
            guard let credentialID = Base64URL.decode(json["credential_id"]), (1...1023).contains(credentialID.count),
                let publicKey = Base64URL.decode(json["public_key"]),
                let prfInput = Base64URL.decode(json["prf_input"]), prfInput.count == 32
            else { throw VaultError(.damaged, "key slot \(id) has no passkey") }
            kind = .passkey(Passkey(credentialID: credentialID, publicKey: publicKey, prfInput: prfInput))
        default: throw VaultError(.unsupported, "key slot \(id) is of a kind that this version does not know")
        }
    }
}
