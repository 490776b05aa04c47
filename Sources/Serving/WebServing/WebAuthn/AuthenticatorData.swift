import Crypto
import Encodings

/// The authenticator's own data (WebAuthn level 3, section 6.1).
struct AuthenticatorData: Sendable, Hashable {
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 1 << 0)
        static let userVerified = Flags(rawValue: 1 << 2)
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backupState = Flags(rawValue: 1 << 4)
        static let attestedCredential = Flags(rawValue: 1 << 6)
        static let extensions = Flags(rawValue: 1 << 7)
        static let reserved = Flags(rawValue: 1 << 1 | 1 << 5)
    }

    struct AttestedCredential: Sendable, Hashable {
        let id: [UInt8]
        let publicKey: COSEKey
        let publicKeyBytes: [UInt8]
    }

    let rpIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let credential: AttestedCredential?

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count >= 37 else { throw WebAuthnError(.malformed, "the authenticator data is cut off") }
        rpIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags.isDisjoint(with: .reserved) else {
            throw WebAuthnError(.malformed, "the authenticator data has a reserved flag")
        }
        var rest = Array(bytes[37...])
        credential = flags.contains(.attestedCredential) ? try Self.credential(&rest) : nil
        if flags.contains(.extensions) {
            let (extensions, end) = try WebAuthnError.reading { () throws(CBORError) in try CBOR.prefix(of: rest) }
            guard case .map = extensions else { throw WebAuthnError(.malformed, "the extensions are not a map") }
            rest = end
        }
        guard rest.isEmpty else { throw WebAuthnError(.malformed, "bytes are left over after the authenticator data") }
    }

    private static func credential(_ rest: inout [UInt8]) throws(WebAuthnError) -> AttestedCredential {
        // The credential begins with 16 bytes of AAGUID and 2 bytes of length.
        guard rest.count >= 18 else { throw WebAuthnError(.malformed, "the attested credential is cut off") }
        let length = Int(rest[16]) << 8 | Int(rest[17])
        guard (1...1023).contains(length), rest.count >= 18 + length else {
            throw WebAuthnError(.malformed, "the credential's id is cut off or longer than 1023 bytes")
        }
        let id = Array(rest[18..<18 + length])
        let keyStart = Array(rest[(18 + length)...])
        let (item, end) = try WebAuthnError.reading { () throws(CBORError) in try CBOR.prefix(of: keyStart) }
        let keyBytes = Array(keyStart[..<(keyStart.count - end.count)])
        rest = end
        return AttestedCredential(id: id, publicKey: try COSEKey(item), publicKeyBytes: keyBytes)
    }

    /// Makes the checks that registration and assertion share: section 7.1, steps 13 to 17; section 7.2, steps 15 to
    /// 19.
    func check(relyingParty: RelyingParty) throws(WebAuthnError) {
        guard rpIDHash == Array(SHA256.hash(data: Array(relyingParty.id.utf8))) else {
            throw WebAuthnError(.wrongRelyingParty, "the passkey belongs to another site")
        }
        guard flags.contains(.userPresent) else { throw WebAuthnError(.userNotPresent, "the passkey was not touched") }
        guard flags.contains(.userVerified) else {
            throw WebAuthnError(.userNotVerified, "the passkey did not check who you are (face, finger or PIN)")
        }
        guard flags.contains(.backupEligible) || !flags.contains(.backupState) else {
            throw WebAuthnError(.malformed, "the passkey says that it is backed up and that it cannot be")
        }
    }
}

/// The site that a passkey belongs to (section 4, "relying party").
package struct RelyingParty: Sendable, Hashable {
    /// The host name, without scheme and port.
    package let id: String
    /// The only accepted origin, such as `https://phone.local:8766`.
    package let origin: String

    package init(id: String, origin: String) {
        self.id = id
        self.origin = origin
    }
}
