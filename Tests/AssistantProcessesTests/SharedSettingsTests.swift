import AssistantProcesses
import AttestedKeys
import Foundation
import TestSupport
import Testing

@Suite("The settings that the assistant's processes share") struct SharedSettingsTests {
    private static func problems(_ environment: [String: String]) -> [String] {
        var reader = SettingsReader(environment.merging(["HOME": "/x"]) { $1 })
        _ = AssistantPlaces(&reader)
        _ = GoogleSettings(&reader)
        _ = EvidenceSettings(&reader)
        do throws(AssistantConfigurationError) {
            try reader.finish()
            return []
        } catch {
            return error.problems
        }
    }

    @Test("a household has one folder and one user")
    func household() {
        var reader = SettingsReader(["XDG_DATA_HOME": "/data"])
        let places = AssistantPlaces(&reader)
        let state = "/data/countersign/assistant"
        #expect(places.keyServiceSocket.path == "\(state)/kms.sock")
        #expect(places.enclaveSocket.path == "\(state)/enclave.sock")
        #expect(places.policy.path == "\(state)/key-policy.json")
        #expect([places.apiUser, places.enclaveUser, places.keyServiceUser] == [geteuid(), geteuid(), geteuid()])
        #expect(GoogleSettings(&reader) == nil)
    }

    @Test("users are named or numbered, and each file has a variable")
    func separate() throws {
        var reader = SettingsReader([
            "ASSISTANT_KMS_SOCKET": "/run/k.sock", "ASSISTANT_ENCLAVE_SOCKET": "/run/e.sock",
            "ASSISTANT_KEY_POLICY_FILE": "/etc/policy.json", "ASSISTANT_EVIDENCE_KEY_FILE": "/run/e.pub",
            "ASSISTANT_API_USER": "root", "ASSISTANT_ENCLAVE_USER": "64102",
        ])
        let places = AssistantPlaces(&reader)
        #expect(places.keyServiceSocket.path == "/run/k.sock" && places.enclaveSocket.path == "/run/e.sock")
        #expect(places.policy.path == "/etc/policy.json" && places.evidenceKey.path == "/run/e.pub")
        #expect(places.apiUser == 0 && places.enclaveUser == 64_102)
        try reader.finish()
    }

    @Test("evidence is made by software, unless a setting says otherwise")
    func evidence() throws {
        var reader = SettingsReader([:])
        let usual = EvidenceSettings(&reader)
        #expect(usual.kind == .software && usual.nitroDevice.path == "/dev/nsm")
        #expect(usual.nitroRoot == NitroEvidenceVerifier.rootDigest)
        let digest = String(repeating: "0f", count: 32)
        reader = SettingsReader([
            "ASSISTANT_EVIDENCE": "nitro", "ASSISTANT_NITRO_DEVICE": "/run/nsm.sock",
            "ASSISTANT_NITRO_ROOT_SHA256": digest,
        ])
        let nitro = EvidenceSettings(&reader)
        try reader.finish()
        #expect(nitro.kind == .nitro && nitro.nitroDevice.path == "/run/nsm.sock" && nitro.nitroRoot == digest)
    }

    @Test("a TPM's device, registers and key have variables")
    func tpm() throws {
        var reader = SettingsReader([
            "ASSISTANT_EVIDENCE": "tpm", "ASSISTANT_TPM_TCTI": "tabrmd", "ASSISTANT_TPM_PCRS": "sha256:7,11",
            "ASSISTANT_TPM_KEY_TYPE": "rsa", "ASSISTANT_TPM_KEY_FILE": "/etc/tpm.pub", "PATH": "/opt/bin",
        ])
        let settings = EvidenceSettings(&reader)
        #expect(AssistantPlaces(&reader).tpmKey.path == "/etc/tpm.pub")
        try reader.finish()
        #expect(settings.kind == .tpm && settings.tpm.interface == "tabrmd" && settings.tpm.keyType == .rsa)
        #expect(settings.tpm.selection.description == "sha256:7,11" && settings.tpm.path == "/opt/bin")
        #expect(TPMSettings().selection.description == "sha256:0,2,4,7,8,9")
    }

    @Test("Google's addresses and redirect values are read")
    func google() throws {
        var reader = SettingsReader([
            "ASSISTANT_GOOGLE_CLIENT_ID": "id", "ASSISTANT_GOOGLE_TOKEN_URL": "http://127.0.0.1:9/token",
            "ASSISTANT_GOOGLE_REDIRECT_URIS":
                "alfred://oauth/google/callback, com.googleusercontent.apps.1-a:/oauth,http://127.0.0.1:8791/g",
        ])
        let settings = try #require(GoogleSettings(&reader))
        try reader.finish()
        #expect(settings.endpoints.token == "http://127.0.0.1:9/token")
        #expect(settings.endpoints.revocation == "https://oauth2.googleapis.com/revoke")
        #expect(
            settings.redirectURIs == [
                "alfred://oauth/google/callback", "com.googleusercontent.apps.1-a:/oauth", "http://127.0.0.1:8791/g",
            ])
    }

    @Test(
        "every wrong value is named",
        arguments: [
            ("ASSISTANT_GOOGLE_TOKEN_URL", "http://google.example/token"),
            ("ASSISTANT_GOOGLE_AUTH_URL", "ftp://127.0.0.1/"), ("ASSISTANT_GOOGLE_API_URL", "x"),
            ("ASSISTANT_GOOGLE_REDIRECT_URIS", "http://app.example/back"),
            ("ASSISTANT_GOOGLE_REDIRECT_URIS", "javascript:alert(1)"),
            ("ASSISTANT_GOOGLE_REDIRECT_URIS", "/callback"), ("ASSISTANT_GOOGLE_REDIRECT_URIS", "app:/x#fragment"),
            ("ASSISTANT_GOOGLE_CLIENT_SECRET_FILE", "/nonexistent"),
            ("ASSISTANT_ENCLAVE_USER", "a-user-that-does-not-exist"), ("ASSISTANT_EVIDENCE", "sgx"),
            ("ASSISTANT_TPM_PCRS", "sha256:16"), ("ASSISTANT_TPM_PCRS", "7"), ("ASSISTANT_TPM_KEY_TYPE", "dsa"),
            ("ASSISTANT_NITRO_ROOT_SHA256", "64"), ("ASSISTANT_NITRO_ROOT_SHA256", String(repeating: "A", count: 64)),
        ])
    func wrong(_ name: String, _ value: String) {
        let problems = Self.problems([name: value, "ASSISTANT_GOOGLE_CLIENT_ID": "id"])
        #expect(problems.count == 1 && problems.first?.contains(name) == true, "\(problems)")
    }
}
