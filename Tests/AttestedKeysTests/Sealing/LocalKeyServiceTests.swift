import Crypto
import Foundation
import Secrets
import TestSupport
import Testing

@testable import AttestedKeys

/// A key service, an enclave process that it trusts, and a token of one connector.
private struct Stage {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    let service: LocalKeyService
    let keys: MasterKeyFile
    let policy: KeyPolicyFile
    let signer: SoftwareEvidenceSigner
    let active: MasterPublicKey
    let user = UUID()
    let connector = UUID()

    init(_ folder: TemporaryFolder) throws {
        let signingKey = P256.Signing.PrivateKey()
        let measurement = String(repeating: "c", count: 64)
        signer = SoftwareEvidenceSigner(key: signingKey, measurement: measurement)
        keys = try MasterKeyFile(
            folder.appending("master"), sealing: Secret(bytes: [UInt8](repeating: 9, count: 32)))
        try keys.makeIfAbsent()
        active = try #require(try keys.read().last).publicKey()
        policy = KeyPolicyFile(folder.appending("policy.json"))
        _ = try policy.makeIfAbsent(
            KeyPolicy(runtime: "software", measurements: [measurement], activeKey: active.reference))
        service = LocalKeyService(
            keys: keys, policy: policy,
            verifiers: EvidenceVerifiers([.software: SoftwareEvidenceVerifier(key: signingKey.publicKey)]))
    }

    var binding: TokenBinding { TokenBinding(userID: user, connectorID: connector, key: active.reference) }

    func seal(_ text: String) async throws -> SealedToken {
        try await SealedToken.seal(Secret(text), binding) { try active.wrap($0, $1) }
    }

    /// Opens a token as the enclave does.
    func open(_ token: SealedToken, _ binding: TokenBinding? = nil, at now: Date = Stage.start) async throws -> Secret {
        let binding = binding ?? self.binding
        let nonce = await service.challenge(at: now)
        let ephemeral = EphemeralKey()
        let evidence = try signer.evidence(nonce: nonce, publicKey: ephemeral.publicKey, at: now)
        let answer = try await service.open(
            OpeningRequest(wrappedDataKey: token.wrappedDataKey, binding: binding, evidence: evidence, nonce: nonce),
            at: now)
        return try token.open(with: ephemeral.open(answer, nonce: nonce), binding)
    }
}

@Suite("Local key service") struct LocalKeyServiceTests {
    @Test("what the API sealed, the attested process opens")
    func road() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let token = try SealedToken(try await stage.seal("1//refresh").bytes)
        #expect(try await stage.open(token).revealed() == "1//refresh")
    }

    @Test("a token moved to another user, connector or key version does not open")
    func moved() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let token = try await stage.seal("1//refresh")
        let (key, user, connector) = (stage.active.reference, stage.user, stage.connector)
        for binding in [
            TokenBinding(userID: UUID(), connectorID: connector, key: key),
            TokenBinding(userID: user, connectorID: UUID(), key: key),
        ] {
            await #expect(throws: SealedTokenError.wrongKeyOrBinding) { try await stage.open(token, binding) }
        }
        let next = KeyReference(tokenKeyID: key.tokenKeyID, tokenVersion: 2)
        await #expect {
            try await stage.open(token, TokenBinding(userID: user, connectorID: connector, key: next))
        } throws: {
            ($0 as? OpeningRefused)?.refusals == [.keyMetadataMismatch]
        }
    }

    @Test("each changed byte of the stored token is noticed")
    func changed() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let bytes = try await stage.seal("1//refresh").bytes
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            await #expect(throws: (any Error).self) { try await stage.open(SealedToken(changed)) }
        }
    }

    @Test("evidence is good for one call, with its nonce, for its own key, within its time")
    func replay() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let token = try await stage.seal("1//refresh")
        let now = Stage.start
        let nonce = await stage.service.challenge(at: now)
        let ephemeral = EphemeralKey()
        let evidence = try stage.signer.evidence(nonce: nonce, publicKey: ephemeral.publicKey, at: now)
        let request = OpeningRequest(
            wrappedDataKey: token.wrappedDataKey, binding: stage.binding, evidence: evidence, nonce: nonce)
        let answer = try await stage.service.open(request, at: now)

        await #expect(throws: OpeningRefused(refusals: [.evidenceInvalid], flaw: nil)) {
            try await stage.service.open(request, at: now)
        }
        let fresh = await stage.service.challenge(at: now)
        let swapped = OpeningRequest(
            wrappedDataKey: token.wrappedDataKey, binding: stage.binding, evidence: evidence, nonce: fresh)
        await #expect(throws: OpeningRefused(refusals: [.evidenceInvalid], flaw: nil)) {
            try await stage.service.open(swapped, at: now)
        }
        let late = await stage.service.challenge(at: now)
        let stale = OpeningRequest(
            wrappedDataKey: token.wrappedDataKey, binding: stage.binding,
            evidence: try stage.signer.evidence(nonce: late, publicKey: ephemeral.publicKey, at: now), nonce: late)
        await #expect(throws: OpeningRefused(refusals: [.evidenceStale, .evidenceInvalid], flaw: nil)) {
            try await stage.service.open(stale, at: now.addingTimeInterval(61))
        }
        #expect(throws: (any Error).self) { try EphemeralKey().open(answer, nonce: nonce) }
    }

    @Test("a process with another signing key, or another program, is refused")
    func strangers() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let token = try await stage.seal("1//refresh")
        let now = Stage.start
        let signer = SoftwareEvidenceSigner(
            key: P256.Signing.PrivateKey(), measurement: String(repeating: "d", count: 64))
        let nonce = await stage.service.challenge(at: now)
        let evidence = try signer.evidence(nonce: nonce, publicKey: EphemeralKey().publicKey, at: now)
        await #expect(
            throws: OpeningRefused(refusals: [.measurementNotAllowed, .evidenceInvalid], flaw: .badSignature)
        ) {
            try await stage.service.open(
                OpeningRequest(
                    wrappedDataKey: token.wrappedDataKey, binding: stage.binding, evidence: evidence, nonce: nonce),
                at: now)
        }
    }

    @Test("after a rotation, old tokens are refused until they are sealed again")
    func rotation() async throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let token = try await stage.seal("1//refresh")
        let next = try stage.keys.addVersion()
        var policy = try stage.policy.read()
        policy.activeKey = next.reference
        try stage.policy.write(policy)

        await #expect { try await stage.open(token) } throws: {
            ($0 as? OpeningRefused)?.reason == .keyMetadataMismatch
        }
        let (sealed, binding) = try await stage.service.reseal(token, stage.binding)
        #expect(binding.key == next.reference)
        #expect(try await stage.open(sealed, binding).revealed() == "1//refresh")

        try stage.keys.remove(stage.active.reference)
        #expect(try await stage.open(sealed, binding).revealed() == "1//refresh")
        await #expect(throws: MasterKeyError.unknown(stage.active.reference)) {
            try await stage.service.reseal(token, stage.binding)
        }
        #expect(throws: MasterKeyError.lastKey) { try stage.keys.remove(next.reference) }
    }

    @Test("the file of master keys opens with its sealing secret only, and shows nothing")
    func masterKeyFile() throws {
        let folder = try TemporaryFolder()
        let stage = try Stage(folder)
        let file = folder.appending("master")
        let bytes = try Data(contentsOf: file)
        for key in try stage.keys.read() {
            #expect(key.privateKey.withUnsafeBytes { bytes.firstRange(of: Data($0)) } == nil)
        }
        let other = try MasterKeyFile(file, sealing: Secret(bytes: [UInt8](repeating: 8, count: 32)))
        #expect(throws: MasterKeyError.cannotBeOpened(file.path)) { try other.read() }
        #expect(throws: MasterKeyError.secretTooShort(31)) {
            try MasterKeyFile(file, sealing: Secret(bytes: [UInt8](repeating: 8, count: 31)))
        }
    }
}

@Suite("Measuring the executable") struct ExecutableMeasurementTests {
    @Test("it is the file's SHA-256")
    func digest() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("program")
        try Data("abc".utf8).write(to: file)
        // FIPS 180-4's example for “abc”.
        #expect(
            try ExecutableMeasurement.of(file)
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        // It is read once, and known from then on.
        let own = try ExecutableMeasurement.ofThisProcess()
        #expect(own.count == 64)
        #if os(Linux)
            #expect(try own == ExecutableMeasurement.of(URL(filePath: "/proc/self/exe")))
        #endif
        #expect(try ExecutableMeasurement.ofThisProcess() == own)
    }
}
