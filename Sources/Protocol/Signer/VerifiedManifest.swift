import Encodings
import Messages

/// A manifest whose signature was checked.
public struct VerifiedManifest: Sendable, Hashable {
    public let manifest: CompletionManifest
    public let signed: SignedManifest

    fileprivate init(manifest: CompletionManifest, signed: SignedManifest) {
        self.manifest = manifest
        self.signed = signed
    }

    public var signature: String { signed.json["signature"]?.stringValue ?? "" }
}

extension CompletionManifest {
    /// Signs the manifest.
    public func signed(with secret: SharedSecret) -> SignedManifest {
        SignedManifest(json: (try? secret.signed(members)) ?? .null)
    }
}

extension SignedManifest {
    /// Checks the signature, the version and every field. The inbox checks that the PDF matches.
    ///
    /// - Throws: ``MessageError``.
    public func verified(with secret: SharedSecret) throws(MessageError) -> VerifiedManifest {
        let fields = try MessageFields(json, what: "the manifest")
        guard secret.verifies(fields.members) else {
            throw MessageError(.badSignature, "the manifest's signature is invalid")
        }
        return VerifiedManifest(manifest: try CompletionManifest(fields), signed: self)
    }
}
