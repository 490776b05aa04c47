import Encodings
import Messages

/// A closing manifest whose signature was checked.
public struct VerifiedClosing: Sendable, Hashable {
    public let closing: ClosingManifest
    public let signed: SignedClosing

    fileprivate init(closing: ClosingManifest, signed: SignedClosing) {
        self.closing = closing
        self.signed = signed
    }
}

extension ClosingManifest {
    /// Signs the closing manifest.
    public func signed(with secret: SharedSecret) -> SignedClosing {
        // Every member has a canonical form, so signing cannot fail.
        SignedClosing(json: (try? secret.signed(members)) ?? .null)
    }
}

extension SignedClosing {
    /// Checks the signature, the version and every field. The broker checks that the documents match.
    ///
    /// - Throws: ``MessageError``.
    public func verified(with secret: SharedSecret) throws(MessageError) -> VerifiedClosing {
        let fields = try MessageFields(json, what: "the closing manifest")
        guard secret.verifies(fields.members) else {
            throw MessageError(.badSignature, "the closing manifest's signature is invalid")
        }
        return VerifiedClosing(closing: try ClosingManifest(fields), signed: self)
    }
}
