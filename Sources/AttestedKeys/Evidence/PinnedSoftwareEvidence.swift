import Crypto
import Files
import Foundation

/// Checks software evidence by the public key in a file, which is read each time, so that the order does not matter in
/// which the processes start.
package struct PinnedSoftwareEvidence: EvidenceVerifier {
    private let file: URL
    private let owner: UInt32

    /// - Parameters:
    ///   - file: the public key (PEM).
    ///   - owner: the user of the enclave. A file of another user, except root, is not believed.
    package init(keyFile file: URL, owner: UInt32) {
        self.file = file
        self.owner = owner
    }

    package func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
        do throws(EvidenceError) {
            return try SoftwareEvidenceVerifier(key: key()).examine(evidence, at: now)
        } catch {
            return ExaminedEvidence(claims: try? SoftwareEvidenceVerifier.claims(of: evidence), flaw: error)
        }
    }

    private func key() throws(EvidenceError) -> P256.Signing.PublicKey {
        var status = stat()
        guard lstat(file.path, &status) == 0 else {
            throw .unknownSigner("\(file.path) cannot be read; start the enclave, which writes it")
        }
        guard status.st_uid == owner || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw .unknownSigner("\(file.path) does not belong to the enclave's user, or others can change it")
        }
        guard let bytes = try? OpenedFile(file).bytes(atMost: 1024),
            let key = try? P256.Signing.PublicKey(pemRepresentation: String(decoding: bytes, as: UTF8.self))
        else { throw .unknownSigner("\(file.path) is not a public key in PEM") }
        return key
    }
}

/// Checks evidence of every runtime that this program knows, so that a refusal can tell which runtime it came from.
package struct EvidenceOfAnyRuntime: EvidenceVerifier {
    private let verifiers: [any EvidenceVerifier]

    package init(_ verifiers: [any EvidenceVerifier]) {
        self.verifiers = verifiers
    }

    package func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
        var last = ExaminedEvidence(claims: nil, flaw: .malformed("no evidence is known"))
        for verifier in verifiers {
            last = await verifier.examine(evidence, at: now)
            // Each runtime has its own form, so the first one that can read the claims is the right one.
            if last.claims != nil { return last }
        }
        return last
    }
}
