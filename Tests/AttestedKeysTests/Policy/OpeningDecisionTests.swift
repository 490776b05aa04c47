import Crypto
import Foundation
import Testing

@testable import AttestedKeys

@Suite("The four checks") struct OpeningDecisionTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let key = KeyReference(tokenKeyID: "mk-1", tokenVersion: 3)
    static let measurement = String(repeating: "a", count: 64)
    static let policy = KeyPolicy(runtime: "software", measurements: [measurement], activeKey: key)

    struct Violations: OptionSet, Sendable, CustomTestStringConvertible {
        let rawValue: Int
        static let runtime = Violations(rawValue: 1)
        static let measurement = Violations(rawValue: 2)
        static let evidence = Violations(rawValue: 4)
        static let metadata = Violations(rawValue: 8)

        var testDescription: String { String(rawValue, radix: 2) }

        var refusals: [OpeningRefusal] {
            [
                (.runtime, .runtimeMismatch), (.measurement, .measurementNotAllowed), (.evidence, .evidenceInvalid),
                (.metadata, .keyMetadataMismatch),
            ].filter { contains($0.0) }.map { (_: Violations, refusal: OpeningRefusal) in refusal }
        }
    }

    @Test("of sixteen combinations, one permits", arguments: (0..<16).map(Violations.init))
    func matrix(_ violations: Violations) {
        let claims = EvidenceClaims(
            runtime: violations.contains(.runtime) ? "nitro" : "software",
            measurement: violations.contains(.measurement) ? String(repeating: "b", count: 64) : Self.measurement,
            issuedAt: Self.now, nonce: [1], publicKey: [2])
        let evidence = ExaminedEvidence(claims: claims, flaw: violations.contains(.evidence) ? .badSignature : nil)
        let key = violations.contains(.metadata) ? KeyReference(tokenKeyID: "mk-1", tokenVersion: 2) : Self.key

        let refusals = Self.policy.refusals(of: evidence, nonce: [1], key: key, at: Self.now)

        #expect(refusals == violations.refusals)
        #expect(refusals.isEmpty == (violations.rawValue == 0))
    }

    @Test(
        "evidence is fresh for the policy's age, and five seconds early",
        arguments: [
            (0, 60, true), (60, 60, true), (60.5, 60, false), (-5, 60, true), (-5.5, 60, false), (0, 0, false),
            (0, 1, true), (1.5, 1, false),
        ] as [(TimeInterval, Int, Bool)])
    func freshness(_ age: TimeInterval, _ limit: Int, _ isFresh: Bool) {
        var policy = Self.policy
        policy.evidenceMaxAge = limit
        let claims = EvidenceClaims(
            runtime: "software", measurement: Self.measurement, issuedAt: Self.now.addingTimeInterval(-age), nonce: [1],
            publicKey: [2])
        let refusals = policy.refusals(
            of: ExaminedEvidence(claims: claims, flaw: nil), nonce: [1], key: Self.key, at: Self.now)
        #expect(refusals == (isFresh ? [] : [.evidenceStale]))
    }

    @Test("another nonce, none, and evidence that cannot be read are invalid")
    func nonces() {
        let claims = EvidenceClaims(
            runtime: "software", measurement: Self.measurement, issuedAt: Self.now, nonce: [], publicKey: [2])
        let good = ExaminedEvidence(claims: claims, flaw: nil)
        #expect(Self.policy.refusals(of: good, nonce: [], key: Self.key, at: Self.now) == [.evidenceInvalid])
        #expect(Self.policy.refusals(of: good, nonce: [1], key: Self.key, at: Self.now) == [.evidenceInvalid])
        let unread = ExaminedEvidence(claims: nil, flaw: .malformed("x"))
        #expect(Self.policy.refusals(of: unread, nonce: [1], key: Self.key, at: Self.now) == [.evidenceInvalid])
    }

    @Test(
        "each register that the policy names must have one of its values",
        arguments: [
            ([:], true), ([8: ["b"]], true), ([8: ["a", "b"]], true), ([8: ["b"], 3: ["c"]], true), ([8: ["a"]], false),
            ([4: ["b"]], false), ([8: ["b"], 3: ["b"]], false),
        ] as [([Int: Set<String>], Bool)])
    func registers(_ allowed: [Int: Set<String>], _ isPermitted: Bool) {
        var policy = Self.policy
        policy.registers = allowed
        let claims = EvidenceClaims(
            runtime: "software", measurement: Self.measurement, registers: [3: "c", 8: "b"], issuedAt: Self.now,
            nonce: [1], publicKey: [2])
        let refusals = policy.refusals(
            of: ExaminedEvidence(claims: claims, flaw: nil), nonce: [1], key: Self.key, at: Self.now)
        #expect(refusals == (isPermitted ? [] : [.measurementNotAllowed]))
    }
}
