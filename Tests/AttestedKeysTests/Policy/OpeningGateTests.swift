import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AttestedKeys

@Suite("The gate before a data key") struct OpeningGateTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let key = KeyReference(tokenKeyID: "mk-1", tokenVersion: 1)
    private static let measurement = String(repeating: "c", count: 64)

    private struct Stage {
        let folder: TemporaryFolder
        let file: KeyPolicyFile
        let allowing = KeyPolicy(runtime: "software", measurements: [measurement], activeKey: key)
        private let signer = P256.Signing.PrivateKey()

        init() throws {
            folder = try TemporaryFolder()
            file = KeyPolicyFile(folder.appending("policy.json"))
            try file.write(allowing)
        }

        var refusing: KeyPolicy {
            var policy = allowing
            policy.measurements = []
            return policy
        }

        func gate(noting note: @escaping PolicyNote) -> OpeningGate {
            OpeningGate(
                policy: file,
                verifiers: EvidenceVerifiers([.software: SoftwareEvidenceVerifier(key: signer.publicKey)]),
                noting: note)
        }

        func request(_ gate: OpeningGate) async throws -> OpeningRequest {
            let nonce = await gate.challenge(at: now)
            let evidence = try SoftwareEvidenceSigner(key: signer, measurement: measurement)
                .evidence(nonce: nonce, publicKey: [2], at: now)
            return OpeningRequest(
                wrappedDataKey: [], binding: TokenBinding(userID: UUID(), connectorID: UUID(), key: key),
                evidence: evidence, nonce: nonce)
        }
    }

    @Test("the policy that is noted is the one that decides, also when the file changes at that moment")
    func noted() async throws {
        let stage = try Stage()
        let noted = Mutex<[KeyPolicy]>([])
        // The first decision finds a file that was replaced after the policy was noted.
        let gate = stage.gate { [file = stage.file, refusing = stage.refusing] policy, _ in
            noted.withLock { $0.append(policy) }
            try file.write(refusing)
        }
        _ = try await gate.admit(stage.request(gate), at: Self.now)
        let request = try await stage.request(gate)
        await #expect(throws: OpeningRefused(refusals: [.measurementNotAllowed], flaw: nil)) {
            _ = try await gate.admit(request, at: Self.now)
        }
        #expect(noted.withLock { $0 } == [stage.allowing, stage.refusing])
    }

    @Test("a policy that cannot be noted opens nothing")
    func notNoted() async throws {
        let stage = try Stage()
        let gate = stage.gate { _, _ in throw POSIXError(.ENOSPC) }
        let request = try await stage.request(gate)
        await #expect(throws: POSIXError.self) { _ = try await gate.admit(request, at: Self.now) }
    }
}
