import Encodings

/// The verification step that an authenticator's answer fails.
struct WebAuthnError: Error, Sendable, Hashable, CustomStringConvertible {
    enum Code: String, Sendable, Hashable, CaseIterable {
        case malformed
        case wrongType
        case wrongChallenge
        case wrongOrigin
        /// The answer was made inside a frame of another site.
        case crossOrigin
        case wrongRelyingParty
        case userNotPresent
        case userNotVerified
        case unsupportedAlgorithm
        case unsupportedAttestation
        case badSignature
        case unknownCredential
        /// The signature counter went back: the authenticator may have been copied.
        case counterWentBack
        case backupStateChanged
        /// Neither a passkey of the vault nor the terminal has agreed to another passkey.
        case consentMissing
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }

    /// Reads CBOR; bytes that are not CBOR make the answer malformed.
    static func reading<Value>(_ read: () throws(CBORError) -> Value) throws(WebAuthnError) -> Value {
        do throws(CBORError) {
            return try read()
        } catch {
            throw WebAuthnError(.malformed, error.description)
        }
    }
}
