import Crypto
import Foundation

/// Checks software evidence by the public key in a file, which is read each time, so that the order does not matter in
/// which the processes start.
package struct PinnedSoftwareEvidence: EvidenceVerifier {
    private let key: PinnedKeyFile

    /// - Parameters:
    ///   - file: the public key (PEM).
    ///   - owner: the user of the enclave. A file of another user, except root, is not believed.
    package init(keyFile file: URL, owner: UInt32) {
        key = PinnedKeyFile(file, owner: owner)
    }

    package func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
        do throws(EvidenceError) {
            return try SoftwareEvidenceVerifier(key: publicKey()).examine(evidence, at: now)
        } catch {
            return ExaminedEvidence(claims: try? SoftwareEvidenceVerifier.claims(of: evidence), flaw: error)
        }
    }

    private func publicKey() throws(EvidenceError) -> P256.Signing.PublicKey {
        let pem = try key.text()
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw .unknownSigner("\(self.key.path) is not a public key in PEM")
        }
        return key
    }
}
