import AssistantProcesses
import AttestedKeys
import Crypto
import Encodings
import Foundation
import Machine
import Secrets

/// The settings of the key service, from environment variables.
package struct KeyServiceConfiguration: Sendable {
    package var places: AssistantPlaces
    /// The database, which only the rotation of keys opens.
    package var database: DatabaseSettings
    package var authorities: URL?
    /// The secret under which the master keys lie on the disk; nil for one in the state folder.
    package var sealingSecret: Secret?
    package var evidence = EvidenceSettings()
    /// The key at AWS KMS; nil for local master keys.
    package var amazon: AmazonSettings?

    package init(places: AssistantPlaces, database: DatabaseSettings) {
        self.places = places
        self.database = database
    }

    /// - Throws: `AssistantConfigurationError` with every problem.
    package init(environment: [String: String]) throws(AssistantConfigurationError) {
        var reader = SettingsReader(environment)
        places = AssistantPlaces(&reader)
        database = DatabaseSettings(&reader)
        authorities = reader.readableFile("ASSISTANT_CA_FILE")
        sealingSecret = reader.secret(inFile: "ASSISTANT_KMS_SEALING_SECRET_FILE")
        evidence = EvidenceSettings(&reader)
        amazon = AmazonSettings(&reader, evidence: evidence)
        try reader.finish()
    }

    /// The folder of the key service alone.
    var folder: URL { places.state.appending(path: "kms", directoryHint: .isDirectory) }

    var policy: KeyPolicyFile { KeyPolicyFile(places.policy) }

    /// The verifiers of every runtime. The policy says which one counts.
    var verifiers: EvidenceVerifiers {
        EvidenceVerifiers([
            .software: PinnedSoftwareEvidence(keyFile: places.evidenceKey, owner: places.enclaveUser),
            .nitro: NitroEvidenceVerifier(rootDigest: evidence.nitroRoot),
            .tpm: TPMEvidenceVerifier(
                keyFile: places.tpmKey, owner: places.enclaveUser, selection: evidence.tpm.selection),
        ])
    }

    package var breakGlass: URL { folder.appending(path: "break-glass.sqlite") }

    /// Opens the key service that the settings ask for, and makes its policy at the first start.
    ///
    /// - Parameter note: is told the policy of each decision before it is made.
    func service(
        now: @escaping @Sendable () -> Date, noting note: @escaping PolicyNote
    ) throws -> any DataKeyService {
        try PrivateFolder.make(folder)
        guard let amazon else {
            return LocalKeyService(keys: try keys(), policy: policy, verifiers: verifiers, noting: note)
        }
        let key = KeyReference(tokenKeyID: amazon.keyID, tokenVersion: 1)
        let active = try (makePolicy(key) ?? policy.read()).activeKey.tokenKeyID
        guard active == amazon.keyID else {
            throw KeyServiceError(
                "\(places.policy.path) names the active key \(active), and ASSISTANT_AWS_KEY_ID is \(amazon.keyID). No key opens "
                    + "what another sealed: set back the variable, or name the new key in the policy and let the users "
                    + "connect to Google again")
        }
        return AmazonKeyService(
            try amazon.client(authorities: authorities, now: now), policy: policy,
            verifier: NitroEvidenceVerifier(rootDigest: evidence.nitroRoot), noting: note)
    }

    /// Opens the local master keys and the policy, and makes both at the first start.
    ///
    /// - Throws: `MasterKeyError`, `FileError`; ``KeyServiceError`` when the master key is at AWS.
    func keys() throws -> MasterKeyFile {
        guard amazon == nil else {
            throw KeyServiceError(
                "the master key is at AWS KMS, which renews it by itself: turn on the key's automatic rotation there")
        }
        try PrivateFolder.make(folder)
        let keys = try MasterKeyFile(
            folder.appending(path: "master.keys"), sealing: try sealingSecret ?? secretInFolder())
        try keys.makeIfAbsent()
        if let active = try keys.read().last?.reference { _ = try makePolicy(active) }
        return keys
    }

    /// Makes the first policy, unless there is a policy already.
    ///
    /// With software evidence the first policy allows one program: this one, of which the enclave is a process too. Any
    /// other runtime is measured elsewhere, so its first policy allows nothing until its operator adds a measurement.
    ///
    /// - Returns: the policy that was made; nil when there is one already.
    private func makePolicy(_ active: KeyReference) throws -> KeyPolicy? {
        guard access(places.policy.path, F_OK) != 0 else { return nil }
        try PrivateFolder.make(places.policy.deletingLastPathComponent())
        let measurements: Set =
            evidence.kind == .software ? [try ExecutableMeasurement.ofThisProcess()] : []
        let made = KeyPolicy(runtime: evidence.kind.rawValue, measurements: measurements, activeKey: active)
        return try policy.makeIfAbsent(made) ? made : nil
    }

    /// A secret beside the master keys keeps nothing from a thief of the whole folder. It is for a household, whose backup
    /// can leave out one of the two files.
    private func secretInFolder() throws -> Secret {
        let file = folder.appending(path: "sealing.secret")
        let lock = try FileLock(folder.appending(path: "sealing.secret.lock"), waits: true)
        defer { withExtendedLifetime(lock) {} }
        if access(file.path, F_OK) != 0 {
            let text = Base64URL.encode(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
            try AtomicFile.replaceUnderLock(Array("\(text)\n".utf8), to: file)
        }
        var status = stat()
        guard lstat(file.path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw KeyServiceError("\(file.path) can be read by other users; it needs mode 0600 and this owner")
        }
        var bytes = try OpenedFile(file).bytes(atMost: 4096)
        defer { bytes.wipe() }
        return Secret(bytes: bytes.prefix { $0 != UInt8(ascii: "\n") })
    }
}

/// A key service that cannot work.
package struct KeyServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
