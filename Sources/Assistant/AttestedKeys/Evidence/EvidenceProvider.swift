import Foundation

/// Makes evidence about the process that asks for it.
package protocol EvidenceProvider: Sendable {
    /// Makes evidence for one call to the key service.
    ///
    /// - Parameters:
    ///   - nonce: what the key service gave out for this call.
    ///   - publicKey: the key that the answer is to be encrypted to.
    ///   - now: the time that the evidence states. A Nitro Secure Module ignores it and states its own clock's.
    func evidence(nonce: [UInt8], publicKey: [UInt8], at now: Date) async throws -> [UInt8]

    /// Returns the measurement that the evidence states, in lower-case hex.
    func measurement() async throws -> String
}

/// The maker of the evidence: `ASSISTANT_EVIDENCE`. Its name is the runtime of the key policy.
package enum EvidenceKind: String, Sendable, CaseIterable {
    case software
    case nitro
    case tpm

    /// The worth of this evidence in words, for `/healthz` and the log.
    package var protection: String {
        switch self {
        case .software: "evidence made by software: not a TEE"
        case .nitro: "evidence made by an AWS Nitro enclave"
        case .tpm: "evidence made by a TPM about the start of the machine, not about one program: not a TEE"
        }
    }
}
