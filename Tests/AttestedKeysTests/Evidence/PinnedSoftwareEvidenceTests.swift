import Crypto
import Encodings
import Foundation
import TestSupport
import Testing

@testable import AttestedKeys

@Suite("Software evidence by a pinned key") struct PinnedSoftwareEvidenceTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func evidence(_ key: P256.Signing.PrivateKey) throws -> [UInt8] {
        try SoftwareEvidenceSigner(key: key, measurement: String(repeating: "c", count: 64))
            .evidence(nonce: [1], publicKey: [2], at: now)
    }

    @Test("the key in the file counts, as it is at the moment of the check")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("evidence.pub")
        let verifier = PinnedSoftwareEvidence(keyFile: file, owner: geteuid())
        let key = P256.Signing.PrivateKey()
        let evidence = try Self.evidence(key)
        func flaw() async -> EvidenceError? { await verifier.examine(evidence, at: Self.now).flaw }
        func write(_ text: String, mode: mode_t = 0o644) throws {
            try Data(text.utf8).write(to: file)
            chmod(file.path, mode)
        }
        // Without the key the claims are told all the same, so that a refusal can name every broken check.
        guard case .unknownSigner? = await flaw() else {
            Issue.record("a missing file was accepted")
            return
        }
        #expect(await verifier.examine(evidence, at: Self.now).claims?.runtime == "software")
        try write(key.publicKey.pemRepresentation)
        #expect(await flaw() == nil)
        try write(P256.Signing.PrivateKey().publicKey.pemRepresentation)
        #expect(await flaw() == .badSignature)
        for (text, mode) in [("not a key", 0o644), (key.publicKey.pemRepresentation, 0o664)] as [(String, mode_t)] {
            try write(text, mode: mode)
            guard case .unknownSigner? = await flaw() else {
                Issue.record("\(text), \(mode) was accepted")
                return
            }
        }
    }

    @Test("each changed bit of the evidence makes it worthless")
    func changedBits() throws {
        let key = P256.Signing.PrivateKey()
        let evidence = try Self.evidence(key)
        let policy = KeyPolicy(
            runtime: "software", measurements: [String(repeating: "c", count: 64)],
            activeKey: KeyReference(tokenKeyID: "mk-1", tokenVersion: 1))
        func refusals(_ bytes: [UInt8]) -> [OpeningRefusal] {
            policy.refusals(
                of: SoftwareEvidenceVerifier(key: key.publicKey).examine(bytes, at: Self.now), nonce: [1],
                key: policy.activeKey, at: Self.now)
        }
        #expect(refusals(evidence).isEmpty)
        for bit in 0..<evidence.count * 8 {
            var changed = evidence
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(refusals(changed).contains(.evidenceInvalid), "bit \(bit)")
        }
    }

    @Test("evidence by software cannot claim to be of hardware", arguments: EvidenceKind.allCases)
    func forgedRuntime(_ kind: EvidenceKind) throws {
        let key = P256.Signing.PrivateKey()
        let claims = CBOR.map([
            .text("runtime"): .text(kind.rawValue), .text("measurement"): .text(String(repeating: "c", count: 96)),
            .text("timestamp"): .integer(1_800_000_000_000), .text("nonce"): .bytes([1]),
            .text("public_key"): .bytes([2]),
        ])
        let evidence = try COSESign1(signing: claims.encoded, with: key).encoded
        let examined = SoftwareEvidenceVerifier(key: key.publicKey).examine(evidence, at: Self.now)
        #expect((examined.claims != nil) == (kind == .software))
        #expect((examined.flaw == nil) == (kind == .software))
    }

    @Test("a file that belongs to another user than the enclave's is not believed", .enabled(if: geteuid() == 0))
    func owner() async throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("evidence.pub")
        let key = P256.Signing.PrivateKey()
        try Data(key.publicKey.pemRepresentation.utf8).write(to: file)
        chmod(file.path, 0o644)
        let evidence = try Self.evidence(key)
        for (user, isBelieved) in [(64_102, true), (64_101, false)] as [(UInt32, Bool)] {
            chown(file.path, user, user)
            let flaw = await PinnedSoftwareEvidence(keyFile: file, owner: 64_102).examine(evidence, at: Self.now).flaw
            #expect((flaw == nil) == isBelieved)
        }
    }
}
