import Encodings

/// The verification step that an authenticator's answer fails.
package struct WebAuthnError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
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
        /// The authenticator has no pseudo-random function (the PRF extension), whose output opens a vault.
        case missingExtension
        case badSignature
        case unknownCredential
        /// The signature counter went back: the authenticator may have been copied.
        case counterWentBack
        case backupStateChanged
        /// Neither a passkey of the vault nor the terminal has agreed to another passkey.
        case consentMissing
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// Reads CBOR; bytes that are not CBOR make the answer malformed.
    package static func reading<Value>(_ read: () throws(CBORError) -> Value) throws(WebAuthnError) -> Value {
        do throws(CBORError) {
            return try read()
        } catch {
            throw WebAuthnError(.malformed, error.description)
        }
    }
}
