import AssistantProcesses
import AttestedKeys
import Foundation
import Machine
import TestSupport
import Testing

@testable import Assistant
@testable import KeyCustody

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
            let measurement = try Self.measurement(connected)
            try connected.allow(measurement)
            let access = try await connected.enclave.accessToken(of: connector, user: user)
            #expect(access.runtime == "tpm" && access.measurement == measurement)
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
            try connected.allow(Self.measurement(connected))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask { _ = try await connected.enclave.accessToken(of: connector, user: user) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("without a resource manager, twenty quotes in a row leave room for the next one", arguments: [true, false])
    func room(_ isFilled: Bool) async throws {
        let tpm = try await SoftwareTPM()
        // As after an enclave that was killed: its keys take all of the room.
        if isFilled { try await tpm.fill() }
        let quoting = try await TPMQuoting(
            Self.settings(tpm).tpm, in: tpm.folder.appending("enclave"), publicPart: tpm.folder.appending("tpm.pub"))
        var quotes: Set<[UInt8]> = []
        for number in 0..<20 {
            quotes.insert(try await quoting.evidence(nonce: [UInt8(number)], publicKey: [2], at: AssistantStage.start))
        }
        #expect(quotes.count == 20)
        #expect(try await tpm.loaded() == 0)
    }

    @Test("calls beyond the queue are refused at once, with what to do; those in it get their quotes")
    func queue() async throws {
        let tpm = try await SoftwareTPM()
        let brake = try await ToolBrake(on: "tpm2_quote", in: tpm.folder)
        var evidence = Self.settings(tpm)
        evidence.tpm.path = brake.path
        try await ConnectedStage.run(evidence: evidence) { connected in
            let token = try await connected.stage.accessToken()
            let answer = try await connected.connect(token)
            let (user, connector) = try connected.ids(token, answer)
            try connected.allow(Self.measurement(connected))
            try brake.hold()
            // One call uses the TPM, and as many wait as may.
            let places = TPMQueue.most + 1
            let outcomes = await withTaskGroup(of: ProcessSocketError?.self) { group in
                for _ in 0..<places + 1 {
                    group.addTask {
                        do throws(ProcessSocketError) {
                            _ = try await connected.enclave.accessToken(of: connector, user: user)
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                // The first one to end is the one that found no place.
                var outcomes = [await group.next() ?? nil]
                do {
                    let path = "/v1/connectors/\(try answer.text("connector_id"))"
                    let ended = try await connected.stage.send("DELETE", path, token: token)
                    #expect(ended.status == 503 && ended.code == "UNAVAILABLE")
                    #expect(ended.head.header("retry-after") == "5")
                    #expect(try ended.text("error_message").contains("try again in a few seconds"))
                } catch {
                    Issue.record(error)
                }
                brake.release()
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            guard case .refused("ENCLAVE_BUSY", let message)? = outcomes[0] else {
                Issue.record("refused with ENCLAVE_BUSY expected, not \(String(describing: outcomes[0]))")
                return
            }
            #expect(message.contains("Try again in a few seconds"))
            #expect(outcomes.dropFirst().allSatisfy { $0 == nil }, "\(outcomes)")
            let event = try #require(
                try await connected.events("TOKEN_DECRYPT", token).last { $0["result"] == "FAILURE" })
            #expect(event["metadata"]?["reason"] == "ENCLAVE_BUSY")
            #expect(try await connected.connectors(token).first?["status"] == "ACTIVE")
        }
    }

    @Test("a machine that has started something else is refused, and so is another TPM")
    func refusals() async throws {
        let tpm = try await SoftwareTPM()
        try await Self.run(tpm) { connected in
            let token = try await connected.stage.accessToken()
            let (user, connector) = try connected.ids(token, try await connected.connect(token))
            try connected.allow(Self.measurement(connected))
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

    @Test(
        "the kernel's resource manager and tpm2-abrmd make room by themselves",
        arguments: [
            ("device:/dev/tpmrm0", true), ("tabrmd", true), ("tabrmd:bus_name=x", true), ("device:/dev/tpm0", false),
            ("swtpm:path=/run/tpmrm0", false), ("device", false),
        ])
    func resourceManagers(_ interface: String, _ hasOne: Bool) {
        #expect(TPMTools.hasResourceManager(interface) == hasOne)
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
