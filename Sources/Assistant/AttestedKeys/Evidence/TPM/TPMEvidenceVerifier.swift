import Encodings
import Foundation

/// Checks a TPM's quotes: the signature by the enrolled attestation key, the registers that it is over, and the call that it
/// was made for.
package struct TPMEvidenceVerifier: EvidenceVerifier {
    private let key: PinnedKeyFile
    private let selection: TPMRegisterSelection

    /// - Parameters:
    ///   - file: the enrolled attestation key (PEM), which is read each time.
    ///   - owner: the user of the enclave. A file of another user, except root, is not believed.
    ///   - selection: the registers that a quote must be over.
    package init(keyFile file: URL, owner: UInt32, selection: TPMRegisterSelection) {
        key = PinnedKeyFile(file, owner: owner)
        self.selection = selection
    }

    package func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
        let (message, quote): (TPMEvidence, TPMQuote)
        do throws(EvidenceError) {
            message = try TPMEvidence(evidence)
            quote = try TPMQuote(message.quote)
        } catch {
            return ExaminedEvidence(claims: nil, flaw: error)
        }
        let claims = EvidenceClaims(
            runtime: EvidenceKind.tpm.rawValue, measurement: Base16.encode(quote.digest),
            issuedAt: Date(timeIntervalSince1970: Double(message.call.milliseconds) / 1000), nonce: message.call.nonce,
            publicKey: message.call.publicKey)
        do throws(EvidenceError) {
            let pem = try key.text()
            guard let key = AttestationKey(pem: pem) else {
                throw .unknownSigner(
                    "\(key.path) is not a public key in PEM, on P-256 or of RSA with 2048 bits or more")
            }
            try key.check(message.signature, of: message.quote)
            guard quote.selection == selection else {
                throw .malformed("the quote is over \(quote.selection), not over \(selection)")
            }
            guard quote.extraData == message.call.qualifyingData else {
                throw .malformed("the quote was made for another call: its nonce, key or time is a different one")
            }
            return ExaminedEvidence(claims: claims, flaw: nil)
        } catch {
            return ExaminedEvidence(claims: claims, flaw: error)
        }
    }
}
