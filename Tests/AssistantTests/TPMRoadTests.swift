import AssistantProcesses
import AttestedKeys
import Foundation
import ProcessSockets
import TestSupport
import Testing

@testable import Assistant
@testable import Enclave

/// A TPM in software (swtpm), reached through tpm2-tools, behind the enclave of an assistant.
@Suite(
    "TPM evidence, from the enclave's call to the opened token", .timeLimit(.minutes(5)),
    .needs("swtpm", "tpm2_quote", "tpm2_pcrextend", "tpm2_createprimary"))
struct TPMRoadTests {
    private static func settings(_ tpm: SoftwareTPM, _ type: TPMSettings.KeyType = .ecc) -> EvidenceSettings {
        var evidence = EvidenceSettings()
        evidence.kind = .tpm
        evidence.tpm.interface = tpm.interface
        evidence.tpm.keyType = type
        return evidence
    }

    /// Runs an assistant whose enclave has a TPM.
    private static func run(
        _ tpm: SoftwareTPM, _ type: TPMSettings.KeyType = .ecc,
        _ body: @escaping @Sendable (ConnectedStage) async throws -> Void
    ) async throws {
        try await ConnectedStage.run(evidence: settings(tpm, type)) { try await body($0) }
    }

    /// Writes the attestation key of a TPM into a file.
    private static func enrol(_ tpm: SoftwareTPM, at file: URL) async throws {
        _ = try await TPMQuoting(settings(tpm).tpm, in: tpm.folder.appending("enclave"), publicPart: file)
    }

    /// Returns the measurement that the enclave has logged at its start.
    private static func measurement(_ connected: ConnectedStage) throws -> String {
        let log = connected.stage.logged.withLock { $0.joined(separator: "\n") }
        return String(try #require(log.firstMatch(of: /measurement": ([0-9a-f]{64})/)).1)
    }

    @Test("a quote of the allowed registers opens tokens", arguments: [TPMSettings.KeyType.ecc, .rsa])
    func road(_ type: TPMSettings.KeyType) async throws {
        let tpm = try await SoftwareTPM()
        try await Self.run(tpm, type) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            var policy = try connected.policy.read()
            policy.measurements = [try Self.measurement(connected)]
            try connected.policy.write(policy)
            // More often than the TPM has room for keys.
            for _ in 0..<4 {
                let access = try await connected.enclave.accessToken(of: connector, user: user)
                #expect(access.runtime == "tpm" && policy.measurements == [access.measurement])
            }
            let health = try await connected.stage.send("GET", "/healthz").json
            #expect(health["provider"] == "tpm")
            #expect(health["protection"]?.stringValue?.contains("not a TEE") == true)
        }
    }

    @Test("calls at once each get a quote of their own")
    func atOnce() async throws {
        let tpm = try await SoftwareTPM()
        try await Self.run(tpm) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            var policy = try connected.policy.read()
            policy.measurements = [try Self.measurement(connected)]
            try connected.policy.write(policy)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask { _ = try await connected.enclave.accessToken(of: connector, user: user) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a machine that has started something else is refused, and so is another TPM")
    func refusals() async throws {
        let tpm = try await SoftwareTPM()
        try await Self.run(tpm) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            var policy = try connected.policy.read()
            policy.measurements = [try Self.measurement(connected)]
            try connected.policy.write(policy)
            _ = try await connected.enclave.accessToken(of: connector, user: user)

            let enrolled = connected.places.tpmKey
            let right = try Data(contentsOf: enrolled)
            try FileManager.default.removeItem(at: enrolled)
            try await Self.enrol(try await SoftwareTPM(), at: enrolled)
            #expect(try Data(contentsOf: enrolled) != right)
            await ConnectorAPITests.expectRefusal("EVIDENCE_INVALID") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
            try right.write(to: enrolled)
            chmod(enrolled.path, 0o644)
            _ = try await connected.enclave.accessToken(of: connector, user: user)

            // A register that is not selected changes nothing; one of the selected does.
            try await tpm.extend(10, String(repeating: "ab", count: 32))
            _ = try await connected.enclave.accessToken(of: connector, user: user)
            try await tpm.extend(8, String(repeating: "ab", count: 32))
            await ConnectorAPITests.expectRefusal("MEASUREMENT_NOT_ALLOWED") {
                try await connected.enclave.accessToken(of: connector, user: user)
            }
        }
    }

    @Test("an enclave on another machine does not take the place of the enrolled key")
    func enrolled() async throws {
        let (tpm, other) = (try await SoftwareTPM(), try await SoftwareTPM())
        let enrolled = tpm.folder.appending("tpm.pub")
        try await Self.enrol(other, at: enrolled)
        await #expect {
            try await Self.enrol(tpm, at: enrolled)
        } throws: {
            "\($0)".contains("the key of another TPM")
        }
        // The same TPM makes the same key again.
        try await Self.enrol(other, at: enrolled)
    }

    @Test("missing programs and a missing TPM are named, with what to do")
    func missing() async throws {
        let tpm = try await SoftwareTPM()
        for (change, words) in [
            ({ $0.path = "/nonexistent" }, "apt install tpm2-tools"),
            ({ $0.interface = "swtpm:path=/nonexistent" }, "ASSISTANT_TPM_TCTI"),
        ] as [((inout TPMSettings) -> Void, String)] {
            var settings = Self.settings(tpm).tpm
            change(&settings)
            await #expect {
                _ = try await TPMQuoting(
                    settings, in: tpm.folder.appending("enclave"), publicPart: tpm.folder.appending("tpm.pub"))
            } throws: {
                "\($0)".contains(words)
            }
        }
    }
}
