import Crypto
import Encodings
import Foundation
import Synchronization
import TestServers
import Testing

@testable import AttestedKeys

@Suite("The verifier of the policy's runtime") struct EvidenceVerifiersTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Counts what it is asked.
    private final class CountingVerifier: EvidenceVerifier {
        let asked = Mutex(0)
        private let verifier: any EvidenceVerifier

        init(_ verifier: any EvidenceVerifier) {
            self.verifier = verifier
        }

        func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
            asked.withLock { $0 += 1 }
            return await verifier.examine(evidence, at: now)
        }
    }

    /// Accepts all software evidence, and any runtime that it claims.
    private struct CredulousVerifier: EvidenceVerifier {
        func examine(_ evidence: [UInt8], at now: Date) async -> ExaminedEvidence {
            guard let map = try? CBOR(COSESign1(evidence).payload), let runtime = map[.text("runtime")]?.textValue
            else {
                return ExaminedEvidence(claims: nil, flaw: .badSignature)
            }
            return ExaminedEvidence(
                claims: EvidenceClaims(runtime: runtime, measurement: "c", issuedAt: now, nonce: [1], publicKey: [2]),
                flaw: nil)
        }
    }

    private struct Stage {
        let key = P256.Signing.PrivateKey()
        let authority: NitroAuthority
        let software: CountingVerifier
        let nitro: CountingVerifier

        init() throws {
            authority = try NitroAuthority(at: EvidenceVerifiersTests.now)
            software = CountingVerifier(SoftwareEvidenceVerifier(key: key.publicKey))
            nitro = CountingVerifier(NitroEvidenceVerifier(rootDigest: authority.rootDigest))
        }

        var verifiers: EvidenceVerifiers { EvidenceVerifiers([.software: software, .nitro: nitro]) }

        func software(claiming runtime: String) throws -> [UInt8] {
            let claims = CBOR.map([
                .text("runtime"): .text(runtime), .text("measurement"): .text(String(repeating: "c", count: 96)),
                .text("timestamp"): .integer(1_800_000_000_000), .text("nonce"): .bytes([1]),
                .text("public_key"): .bytes([2]),
            ])
            return try COSESign1(signing: claims.encoded, with: key).encoded
        }
    }

    @Test("evidence of the policy's runtime is examined by that runtime's verifier alone")
    func chosen() async throws {
        let stage = try Stage()
        let document = try stage.authority.document(.init(at: Self.now, nonce: [1], publicKey: [2]))
        let nitro = await stage.verifiers.examine(document, as: "nitro", at: Self.now)
        #expect(nitro.claims?.runtime == "nitro" && nitro.flaw == nil)
        #expect(stage.software.asked.withLock { $0 } == 0)

        let software = await stage.verifiers.examine(
            try stage.software(claiming: "software"), as: "software", at: Self.now)
        #expect(software.claims?.runtime == "software" && software.flaw == nil)
        #expect(stage.nitro.asked.withLock { $0 } == 1)
    }

    @Test("evidence of another runtime is read, so that the refusal can name it", arguments: ["nitro", "tpm", "sgx"])
    func other(_ runtime: String) async throws {
        let stage = try Stage()
        let examined = await stage.verifiers.examine(
            try stage.software(claiming: "software"), as: runtime, at: Self.now)
        #expect(examined.claims?.runtime == "software")
        let policy = KeyPolicy(
            runtime: runtime, measurements: [String(repeating: "c", count: 96)],
            activeKey: KeyReference(tokenKeyID: "mk-1", tokenVersion: 1))
        #expect(
            policy.refusals(of: examined, nonce: [1], key: policy.activeKey, at: Self.now) == [.runtimeMismatch])
    }

    @Test("software that claims to be hardware is refused under every policy", arguments: EvidenceKind.allCases)
    func forged(_ policy: EvidenceKind) async throws {
        for claimed in ["nitro", "tpm"] {
            let stage = try Stage()
            let evidence = try stage.software(claiming: claimed)
            let examined = await stage.verifiers.examine(evidence, as: policy.rawValue, at: Self.now)
            #expect(examined.claims == nil && examined.flaw != nil, "\(claimed) under \(policy)")
        }
    }

    @Test("a verifier speaks for its own runtime alone", arguments: ["nitro", "tpm"])
    func ownRuntime(_ claimed: String) async throws {
        let evidence = try Stage().software(claiming: claimed)
        let examined = await EvidenceVerifiers([.software: CredulousVerifier()])
            .examine(evidence, as: claimed, at: Self.now)
        #expect(examined.claims == nil && examined.flaw != nil)
    }

    @Test("evidence of an unknown form has no claims", arguments: [[], [0xFF], Array("evidence".utf8)] as [[UInt8]])
    func unknown(_ evidence: [UInt8]) async throws {
        for runtime in ["software", "nitro", "sgx"] {
            let examined = try await Stage().verifiers.examine(evidence, as: runtime, at: Self.now)
            #expect(examined.claims == nil && examined.flaw != nil)
        }
    }
}
