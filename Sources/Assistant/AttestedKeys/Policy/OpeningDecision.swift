import Foundation

/// The reason why a data key is not opened: one of the four rules of the specification (`assistant.md`, section 10.2).
package enum OpeningRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case runtimeMismatch = "RUNTIME_MISMATCH"
    case measurementNotAllowed = "MEASUREMENT_NOT_ALLOWED"
    case evidenceStale = "EVIDENCE_STALE"
    case evidenceInvalid = "EVIDENCE_INVALID"
    case keyMetadataMismatch = "KEY_METADATA_MISMATCH"
}

extension KeyPolicy {
    /// The seconds by which evidence may come from the future, for clocks that differ.
    private static let skew: TimeInterval = 5

    /// Makes all four checks.
    ///
    /// - Parameters:
    ///   - nonce: the nonce of this call.
    ///   - key: the key that is stored beside the token.
    /// - Returns: every rule that forbids the opening, in the order of the specification. Only with none is it permitted.
    package func refusals(
        of evidence: ExaminedEvidence, nonce: [UInt8], key: KeyReference, at now: Date
    ) -> [OpeningRefusal] {
        var refusals: [OpeningRefusal] = []
        if let claims = evidence.claims {
            if claims.runtime != runtime { refusals.append(.runtimeMismatch) }
            if !isAllowed(claims) { refusals.append(.measurementNotAllowed) }
            if !isFresh(claims.issuedAt, at: now) { refusals.append(.evidenceStale) }
            if evidence.flaw != nil || nonce.isEmpty || claims.nonce != nonce { refusals.append(.evidenceInvalid) }
        } else {
            refusals.append(.evidenceInvalid)
        }
        if key != activeKey { refusals.append(.keyMetadataMismatch) }
        return refusals
    }

    private func isAllowed(_ claims: EvidenceClaims) -> Bool {
        measurements.contains(claims.measurement)
            && registers.allSatisfy { number, values in claims.registers[number].map(values.contains) == true }
    }

    private func isFresh(_ time: Date, at now: Date) -> Bool {
        let age = now.timeIntervalSince(time)
        return evidenceMaxAge > 0 && age <= TimeInterval(evidenceMaxAge) && age >= -Self.skew
    }
}
