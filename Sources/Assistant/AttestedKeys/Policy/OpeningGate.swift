import Crypto
import Foundation

/// Makes the four checks before a data key is opened. They are the same for a local master key and for one at AWS KMS.
package actor OpeningGate {
    /// The most nonces that wait for their call. The oldest one goes first.
    private static let nonceLimit = 1024

    private let policy: KeyPolicyFile
    private let verifiers: EvidenceVerifiers
    private let note: PolicyNote
    private var nonces: [(bytes: [UInt8], expires: Date)] = []

    /// - Parameter note: is told the policy of each decision before it is made. When it throws, nothing is opened.
    package init(policy: KeyPolicyFile, verifiers: EvidenceVerifiers, noting note: @escaping PolicyNote = { _, _ in }) {
        self.policy = policy
        self.verifiers = verifiers
        self.note = note
    }

    /// Gives out a nonce of 32 random bytes for one call within 60 seconds.
    package func challenge(at now: Date) -> [UInt8] {
        let nonce = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        nonces.removeAll { $0.expires < now }
        if nonces.count >= Self.nonceLimit { nonces.removeFirst() }
        nonces.append((nonce, now.addingTimeInterval(60)))
        return nonce
    }

    /// Makes all four checks, by the policy as it is at this moment. The nonce is used up.
    ///
    /// - Returns: what the evidence states.
    /// - Throws: ``OpeningRefused``; ``KeyPolicyError``.
    package func admit(_ request: OpeningRequest, at now: Date) async throws -> EvidenceClaims {
        let isExpected = takeNonce(request.nonce, at: now)
        let policy = try policy.read()
        try await note(policy, now)
        let evidence = await verifiers.examine(request.evidence, as: policy.runtime, at: now)
        let refusals = policy.refusals(
            of: evidence, nonce: isExpected ? request.nonce : [], key: request.binding.key, at: now)
        guard refusals.isEmpty, let claims = evidence.claims else {
            throw OpeningRefused(refusals: refusals, flaw: evidence.flaw)
        }
        return claims
    }

    /// Returns true once for each nonce that was given out and has not expired.
    private func takeNonce(_ nonce: [UInt8], at now: Date) -> Bool {
        guard let index = nonces.firstIndex(where: { $0.bytes == nonce }) else { return false }
        return nonces.remove(at: index).expires >= now
    }
}

/// Takes note of the policy by which the key service is about to decide.
package typealias PolicyNote = @Sendable (_ policy: KeyPolicy, _ now: Date) async throws -> Void

/// The refusal of the key service, with every rule that was broken.
package struct OpeningRefused: Error, Sendable, Hashable, CustomStringConvertible {
    package let refusals: [OpeningRefusal]
    package let flaw: EvidenceError?

    /// The first broken rule, which the audit names.
    package var reason: OpeningRefusal { refusals.first ?? .evidenceInvalid }

    package var description: String {
        "the key service refused to open a token: " + refusals.map(\.rawValue).joined(separator: ", ")
            + (flaw.map { " (\($0))" } ?? "")
    }
}
