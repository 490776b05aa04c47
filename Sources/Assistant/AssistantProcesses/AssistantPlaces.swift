import Foundation

/// The places at which the assistant's processes meet, and the users who run them. All processes read the same variables.
package struct AssistantPlaces: Sendable {
    /// The folder with the keys of the process that reads this.
    package let state: URL
    package var keyServiceSocket: URL
    package var enclaveSocket: URL
    /// The key policy, which only the key service reads.
    package var policy: URL
    /// The public key of the software evidence: the enclave writes it, the key service reads it.
    package var evidenceKey: URL
    /// The enrolled attestation key of a TPM: the enclave writes it if it is absent, the key service reads it.
    package var tpmKey: URL
    package var apiUser = geteuid()
    package var enclaveUser = geteuid()
    package var keyServiceUser = geteuid()

    /// The places of a household: everything in one folder, and one user.
    package init(state: URL) {
        self.state = state
        keyServiceSocket = state.appending(path: "kms.sock")
        enclaveSocket = state.appending(path: "enclave.sock")
        policy = state.appending(path: "key-policy.json")
        evidenceKey = state.appending(path: "evidence.pub")
        tpmKey = state.appending(path: "tpm.pub")
    }

    package init(_ reader: inout SettingsReader) {
        self.init(state: reader.stateFolder)
        let files: [(String, WritableKeyPath<AssistantPlaces, URL>)] = [
            ("ASSISTANT_KMS_SOCKET", \.keyServiceSocket), ("ASSISTANT_ENCLAVE_SOCKET", \.enclaveSocket),
            ("ASSISTANT_KEY_POLICY_FILE", \.policy), ("ASSISTANT_EVIDENCE_KEY_FILE", \.evidenceKey),
            ("ASSISTANT_TPM_KEY_FILE", \.tpmKey),
        ]
        for (name, place) in files {
            if let path = reader.value(name) { self[keyPath: place] = URL(filePath: path) }
        }
        apiUser = reader.user("ASSISTANT_API_USER")
        enclaveUser = reader.user("ASSISTANT_ENCLAVE_USER")
        keyServiceUser = reader.user("ASSISTANT_KMS_USER")
    }
}
