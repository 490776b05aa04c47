import Automation
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Synchronization

/// The person's bank credentials in an open vault, for one run or one setup.
///
/// The type offers no export and no printing, and lists names only: a credential leaves only through ``CredentialProvider``, into a
/// form of its bank. Bank and name are bound into the encryption, so no credential can pass as another bank's.
package struct CredentialVault: Sendable {
    package let secrets: VaultSecretStore
    let store: PhoneDatabase

    package init(_ secrets: VaultSecretStore, store: PhoneDatabase) {
        self.secrets = secrets
        self.store = store
    }

    /// Stores or replaces a bank's credentials in one write.
    ///
    /// - Parameter credentials: the values by the names that the bank's script uses, at least `username` and
    ///   `password`.
    package func set(_ credentials: [String: Secret], forBank bankID: String) async throws {
        let entries = try Self.entries(credentials, forBank: bankID)
        let areOther = try await differ(entries)
        // The values count from now on, and not what gave them before.
        try await secrets.store(entries, removing: credentials.keys.flatMap { Self.substitutes($0, bankID) })
        try await store.forgetPrograms(of: Array(credentials.keys), atBank: bankID)
        try await remember(bankID, areOther: areOther)
    }

    /// Has a program give a credential from now on. A value or a provider in its place is removed in the same write.
    package func set(_ program: CredentialProgram, for name: String, ofBank bankID: String) async throws {
        try await put(program.sealed, as: CredentialProgram.entry(name, bankID), of: program.name, name, bankID)
    }

    /// Has a plug-in's provider give a credential from now on. A value or a program in its place is removed in the same write.
    package func set(provider: String, for name: String, ofBank bankID: String) async throws {
        let text = PluggedCredentials.sealed(provider)
        defer { text.wipe() }
        try await put(text, as: PluggedCredentials.entry(name, bankID), of: provider, name, bankID)
    }

    /// - Parameter giver: the name of what gives the credential, for *Banks*.
    private func put(
        _ sealed: Secret, as entry: String, of giver: String, _ name: String, _ bankID: String
    ) async throws {
        try await secrets.store(
            [entry: sealed], removing: Self.places(of: name, bankID).filter { $0 != entry })
        try await store.remember(program: giver, for: name, atBank: bankID)
        try await remember(bankID, areOther: true)
    }

    /// Removes credentials, and what gives them.
    func drop(_ names: some Collection<String>, atBank bankID: String) async throws {
        try await secrets.store([:], removing: names.flatMap { Self.places(of: $0, bankID) })
        try await store.forgetPrograms(of: Array(names), atBank: bankID)
    }

    /// Drops the programs and providers of credentials that have a value now.
    func dropSubstitutes(of names: [String], atBank bankID: String) async throws {
        try await secrets.store([:], removing: names.flatMap { Self.substitutes($0, bankID) })
        try await store.forgetPrograms(of: names, atBank: bankID)
    }

    /// Returns whether one of these values is not the one in the vault.
    func differ(_ entries: [String: Secret]) async throws -> Bool {
        for (name, value) in entries {
            guard let stored = try await secrets.secret(named: name) else { return true }
            defer { stored.wipe() }
            guard stored.isEqual(to: value) else { return true }
        }
        return false
    }

    /// Returns the credentials under their names in the vault.
    static func entries(
        _ credentials: [String: Secret], forBank bankID: String
    ) throws(PhoneError) -> [String: Secret] {
        // A bank's script declares which credentials it needs; a password is not always among them.
        guard !credentials.isEmpty else {
            throw PhoneError(.invalidSetting, "a bank needs credentials; give those that its script declares")
        }
        if let empty = credentials.keys.sorted().first(where: { credentials[$0]?.isEmpty ?? true }) {
            throw PhoneError(.invalidSetting, "the bank's \(empty.replacing("_", with: " ")) is empty; enter it again")
        }
        return Dictionary(uniqueKeysWithValues: credentials.map { (entry($0.key, bankID), $0.value) })
    }

    /// Records that a bank's credentials are in the vault.
    ///
    /// - Parameter areOther: they differ from those that were there before.
    func remember(_ bankID: String, areOther: Bool) async throws {
        let now = Date()
        try await store.rememberCredentials(
            forBank: bankID, username: Self.entry("username", bankID), password: Self.entry("password", bankID),
            areOther: areOther, at: now)
        // A consent that ended, by the bank's word or on its day, was given with the credentials before. One that the owner gives at
        // the bank's page is renewed there alone, as long as what the bank gave for it is kept.
        if areOther, let consent = try await store.consent(atBank: bankID), consent.end(by: now) != nil {
            let kept = try await secrets.secret(named: VaultGrantStore.entry(bankID))
            defer { kept?.wipe() }
            if !consent.needsOwner || kept?.holdsGrant != true { try await store.keep(nil, atBank: bankID) }
        }
        try await store.audit.record(.init(.credentialsStored, details: ["bank_id": .string(bankID)]))
    }

    /// Removes the named credentials, and always `username` and `password`.
    package func remove(_ names: [String] = [], forBank bankID: String) async throws {
        try await drop(Set(names + ["username", "password"]), atBank: bankID)
        try await secrets.remove(named: VaultSourceMemory.entry(bankID))
        try await secrets.remove(named: VaultGrantStore.entry(bankID))
        try await VaultDeviceMemory.forget(bankID, secrets, store, because: "owner")
        try await store.keep(nil, atBank: bankID)
        try await store.forgetCredentials(forBank: bankID)
        try await store.audit.record(.init(.credentialsRemoved, details: ["bank_id": .string(bankID)]))
    }

    package func holdsCredentials(forBank bankID: String) async throws -> Bool {
        for name in ["username", "password"] {
            var isGiven = false
            for entry in Self.places(of: name, bankID) where try await secrets.holds(entry) { isGiven = true }
            guard isGiven else { return false }
        }
        return true
    }

    /// Returns the provider for one run: it gives only this bank's credentials, and nothing once the vault is closed.
    ///
    /// - Parameters:
    ///   - plugged: the providers that the vault may name in a value's place.
    ///   - beforeUse: is done before it gives a credential other than the user name. If it throws, the credential stays in the
    ///     vault.
    func provider(
        forBank bankID: String, keeping given: GivenCredentials, of plugged: PluggedCredentials = PluggedCredentials(),
        beforeUse: @escaping @Sendable () async throws -> Void = {}
    ) -> some CredentialProvider {
        OneBankCredentials(secrets: secrets, bankID: bankID, given: given, plugged: plugged, beforeUse: beforeUse)
    }

    static func entry(_ name: String, _ bankID: String) -> String { "credential/\(bankID)/\(name)" }

    /// Returns whether a credential is a line of text: UTF-8 without control characters.
    static func isLine(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && String(validating: bytes, as: UTF8.self) != nil
    }

    /// The entries in one of which a credential is, or what gives it.
    static func places(of name: String, _ bankID: String) -> [String] {
        [entry(name, bankID)] + substitutes(name, bankID)
    }

    /// The entries that stand for a value: of a program, and of a plug-in's provider.
    static func substitutes(_ name: String, _ bankID: String) -> [String] {
        [CredentialProgram.entry(name, bankID), PluggedCredentials.entry(name, bankID)]
    }
}

private struct OneBankCredentials: CredentialProvider {
    var adviceForMissing: String? {
        "store it on the page, under Banks, or while the phone is stopped: countersign phone banks change \(bankID)"
    }
    let secrets: VaultSecretStore
    let bankID: String
    let given: GivenCredentials
    let plugged: PluggedCredentials
    let beforeUse: @Sendable () async throws -> Void

    func credential(named name: String, forBank asked: String) async throws -> Secret? {
        guard asked == bankID else { return nil }
        // A failure here comes before `beforeUse`, so no sign-in has begun.
        let printed = try await printed(name)
        if name != "username" { try await beforeUse() }
        let secret: Secret?
        if let printed {
            secret = printed
        } else {
            secret = try await secrets.secret(named: CredentialVault.entry(name, bankID))
        }
        if let secret { given.add(secret) }
        return secret
    }

    /// Returns what the owner's program or a plug-in's provider gives for a credential; nil without one, and where a value is in its
    /// place. It is asked once in a visit, which may need the credential for each of its requests, several at once; an answer that
    /// it has not given is not asked for again.
    private func printed(_ name: String) async throws -> Secret? {
        guard try await !secrets.holds(CredentialVault.entry(name, bankID)) else { return nil }
        let sealed = try await secrets.secret(named: CredentialProgram.entry(name, bankID))
        let provider = try await secrets.secret(named: PluggedCredentials.entry(name, bankID))
        defer { provider?.wipe() }
        guard sealed != nil || provider != nil else { return nil }
        let plugin = provider.map(PluggedCredentials.name)
        let answer = given.asked(for: name) {
            if let sealed { return try await CredentialProgram(sealed: sealed).credential(named: name, ofBank: bankID) }
            return try await plugged.credential(of: plugin ?? "", named: name, ofBank: bankID)
        }
        try await withTaskCancellationHandler {
            try await answer.value
        } onCancel: {
            answer.cancel()
        }
        return given.printed(name)
    }
}

/// The credentials that a run has received, kept until its last report is written. The redactor knows only living
/// secrets, and a bank can repeat a password in an error message long after it was typed.
final class GivenCredentials: Sendable {
    private let secrets = Mutex<[Secret]>([])
    /// The credentials that programs and providers have given, by their names.
    private let printed = Mutex<[String: Secret]>([:])
    /// The questions to programs and providers, by the credentials' names, also those that failed.
    private let questions = Mutex<[String: Task<Void, any Error>]>([:])

    deinit { wipe() }

    func add(_ secret: Secret) { secrets.withLock { $0.append(secret) } }

    /// Asks for a credential, unless it was asked for before.
    ///
    /// - Returns: the end of the question, after which ``printed(_:)`` has the answer.
    func asked(
        for name: String, _ ask: @escaping @Sendable () async throws -> Secret
    ) -> Task<Void, any Error> {
        questions.withLock { questions in
            if let known = questions[name], !known.isCancelled { return known }
            let question = Task {
                let secret = try await ask()
                printed.withLock { $0[name] = secret }
            }
            questions[name] = question
            return question
        }
    }

    /// - Returns: a copy, which its user may wipe.
    func printed(_ name: String) -> Secret? {
        printed.withLock { $0[name]?.withUnsafeBytes { Secret(bytes: Array($0)) } }
    }

    func wipe() {
        let asked = questions.withLock { questions in
            defer { questions = [:] }
            return questions.values
        }
        for question in asked { question.cancel() }
        let all = secrets.withLock { secrets in
            defer { secrets = [] }
            return secrets
        }
        let programs = printed.withLock { printed in
            defer { printed = [:] }
            return printed.values
        }
        for secret in all + programs { secret.wipe() }
    }
}
