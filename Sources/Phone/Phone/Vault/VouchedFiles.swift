import Automation
import BankScript
import Crypto
import Encodings
import Foundation
import KeyVault
import Messages
import PhoneStore
import Secrets
import Storage

/// The vault's word for two files beside it that decide what an approval allows: the owner's policy, and the list of
/// accepted scripts.
///
/// Both are plain files, so that they can be read while the vault is closed. Each approval compares them with the vault, and so
/// does what else gives a script credentials: a change from outside is refused until the owner vouches for it with the
/// passphrase.
package struct VouchedFiles: Sendable, Hashable {
    static let entry = "home/vouched-files"

    /// The SHA-256 of the policy file in hexadecimal digits; nil without a policy.
    package let policy: String?
    /// The digests of the accepted scripts.
    package let scripts: Set<String>

    /// Reads the files as they are now.
    ///
    /// - Throws: ``PhoneError``; `fileChanged` when the list of accepted scripts cannot be read.
    package init(of home: PhoneHome) throws(PhoneError) {
        policy = try PhonePolicy(of: home).digest
        scripts = Set(try Self.accepted(by: home).map(\.hex))
    }

    /// Returns the digests of the accepted scripts. A list that cannot be read, such as one that other users can write, was
    /// changed from outside.
    private static func accepted(by home: PhoneHome) throws(PhoneError) -> Set<ScriptDigest> {
        do {
            return try AcceptedScripts(home: home.folder).digests()
        } catch {
            throw PhoneError(.fileChanged, error.message)
        }
    }

    private init(policy: String?, scripts: Set<String>) {
        (self.policy, self.scripts) = (policy, scripts)
    }

    private init(json: JSONValue) throws(PhoneError) {
        guard let scripts = json["scripts"]?.arrayValue?.compactMap(\.stringValue) else {
            throw PhoneError(.storeDamaged, "the vault's entry about policy and scripts cannot be read")
        }
        policy = json["policy"]?.stringValue
        self.scripts = Set(scripts)
    }

    private var json: JSONValue {
        [
            "policy": policy.map(JSONValue.string) ?? .null,
            "scripts": .array(scripts.sorted().map(JSONValue.string)),
        ]
    }

    // MARK: The vault

    /// Makes the vault vouch for the files as they are now.
    @discardableResult
    package static func vouch(for home: PhoneHome, in secrets: VaultSecretStore) async throws -> VouchedFiles {
        let now = try VouchedFiles(of: home)
        try await secrets.store(Secret(bytes: try now.json.canonicalBytes()), named: entry)
        return now
    }

    /// Returns whether the vault vouches for a script.
    package static func vouches(
        for script: ScriptDigest, of home: PhoneHome, in secrets: VaultSecretStore
    ) async throws -> Bool {
        try await stored(for: home, in: secrets).scripts.contains(script.hex)
    }

    /// Makes the vault vouch for one more script, which the owner has just read. What other programs have changed meanwhile stays
    /// without its word.
    package static func vouch(
        for script: ScriptDigest, of home: PhoneHome, in secrets: VaultSecretStore
    ) async throws {
        let known = try await stored(for: home, in: secrets)
        let all = VouchedFiles(policy: known.policy, scripts: known.scripts.union([script.hex]))
        try await secrets.store(Secret(bytes: try all.json.canonicalBytes()), named: entry)
        try await PhoneDatabase(home).audit.record(
            AuditEvent(.policyAccepted, severity: .warning, details: ["scripts": .array([.string(script.hex)])]))
    }

    /// Returns what the vault vouches for. A vault of an earlier version vouches for the files as they are at first use.
    static func stored(for home: PhoneHome, in secrets: VaultSecretStore) async throws -> VouchedFiles {
        guard let stored = try await secrets.secret(named: entry) else {
            return try await vouch(for: home, in: secrets)
        }
        // Digests are not secret: while this value lives, the redactor would remove it from every message.
        defer { stored.wipe() }
        return try VouchedFiles(json: JSONReader.read(stored.revealed()))
    }

    // MARK: Checks

    /// Checks that a bank's script may have what the owner stores for the bank: it is accepted still, and the vault vouches for it.
    /// Otherwise the vault is closed, and the audit log tells why. A list of accepted scripts that cannot be read counts as changed.
    ///
    /// - Throws: ``PhoneError`` with `fileChanged`.
    package static func check(
        scriptOf bankID: String, in scripts: ScriptRegistry, of home: PhoneHome, _ secrets: VaultSecretStore,
        at now: Date = Date()
    ) async throws {
        // One that is compiled in was never accepted.
        guard scripts.acceptedDigest(forBank: bankID) != nil else { return }
        try await check(nil, scriptOf: bankID, in: scripts, of: home, secrets, for: nil, at: now)
    }

    /// Checks the same for an approval, which relies on the policy as well.
    ///
    /// - Parameters:
    ///   - policy: as it was applied; nil where none is.
    ///   - request: the request that is to be approved.
    /// - Throws: ``PhoneError`` with `fileChanged`.
    static func check(
        _ policy: PhonePolicy?, scriptOf bankID: String, in scripts: ScriptRegistry, of home: PhoneHome,
        _ secrets: VaultSecretStore, for request: RequestID?, at now: Date
    ) async throws {
        do {
            let vouched = try await stored(for: home, in: secrets)
            if let policy { try vouched.check(policy: policy.digest) }
            try checkAcceptance(ofBank: bankID, in: scripts, by: home)
            try vouched.check(script: scripts.acceptedDigest(forBank: bankID))
        } catch {
            secrets.close()
            guard let error = error as? PhoneError, error.code == .fileChanged else { throw error }
            try await PhoneDatabase(home).audit.record(
                AuditEvent(
                    .approvalRefused, severity: .critical, requestID: request?.description,
                    details: ["message": .string(error.message)], time: now))
            throw error
        }
    }

    /// Checks that a bank's script is accepted still, without the vault. The phone has read its scripts when it started, and the
    /// vault's word outlives an acceptance that is taken back.
    ///
    /// - Throws: ``PhoneError`` with `fileChanged`.
    package static func checkAcceptance(
        ofBank bankID: String, in scripts: ScriptRegistry, by home: PhoneHome
    ) throws(PhoneError) {
        if let error = withdrawals(in: scripts, of: [bankID], by: home)[bankID] { throw error }
    }

    /// Returns why scripts are not accepted any more, by their banks. The list of accepted scripts is read once.
    ///
    /// - Parameter bankIDs: the banks to look at.
    package static func withdrawals(
        in scripts: ScriptRegistry, of bankIDs: [String], by home: PhoneHome
    ) -> [String: PhoneError] {
        // One that is compiled in needs no acceptance.
        let digests = bankIDs.compactMap { id in scripts.acceptedDigest(forBank: id).map { (id, $0) } }
        guard !digests.isEmpty else { return [:] }
        let present: Set<ScriptDigest>
        do {
            present = try accepted(by: home)
        } catch {
            return Dictionary(digests.map { ($0.0, error) }, uniquingKeysWith: { $1 })
        }
        let gone = digests.filter { !present.contains($0.1) }.map { id, script in
            (
                id,
                PhoneError(
                    .fileChanged,
                    "the script \(script.short) is not accepted any more, and this phone still has it from its start; stop the "
                        + "phone and start it again: countersign up --stop, then countersign up")
            )
        }
        return Dictionary(gone, uniquingKeysWith: { $1 })
    }

    private func check(policy: String?) throws(PhoneError) {
        guard policy == self.policy else {
            throw PhoneError(
                .fileChanged,
                "policy.yaml in the phone's folder was \(policy == nil ? "removed" : "changed") since the vault vouched for "
                    + "it; read it, then: countersign phone policy accept")
        }
    }

    private func check(script: ScriptDigest?) throws(PhoneError) {
        guard let script, !scripts.contains(script.hex) else { return }
        throw PhoneError(
            .fileChanged,
            "the script \(script.short) was accepted since the vault last vouched for the accepted scripts; if that "
                + "was you: countersign phone policy accept")
    }
}
