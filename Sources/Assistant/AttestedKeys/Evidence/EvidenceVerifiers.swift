import Foundation

/// The verifiers of the runtimes that a key service knows.
package struct EvidenceVerifiers: Sendable {
    private let verifiers: [EvidenceKind: any EvidenceVerifier]

    package init(_ verifiers: [EvidenceKind: any EvidenceVerifier]) {
        self.verifiers = verifiers
    }

    /// Examines evidence with the verifier of the policy's runtime.
    ///
    /// Evidence in another runtime's form opens nothing. Its own verifier reads it all the same, so that the refusal can
    /// name every broken check.
    func examine(_ evidence: [UInt8], as runtime: String, at now: Date) async -> ExaminedEvidence {
        let expected = EvidenceKind(rawValue: runtime)
        var unread = ExaminedEvidence(
            claims: nil, flaw: .malformed("no evidence of the policy's runtime is known here"))
        if let expected, let verifier = verifiers[expected] {
            let examined = await verifier.examine(evidence, at: now)
            guard examined.claims == nil else { return examined }
            unread = examined
        }
        for other in EvidenceKind.allCases where other != expected {
            guard let examined = await verifiers[other]?.examine(evidence, at: now), let claims = examined.claims else {
                continue
            }
            // A verifier speaks for its own runtime alone.
            if claims.runtime == other.rawValue { return examined }
        }
        return unread
    }
}
