import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

/// A passkey's answer as the page posts it, with the output of its pseudo-random function.
struct PostedAssertion: Sendable {
    let assertion: PasskeyAssertion
    let output: Secret

    init(_ json: JSONValue?) throws(WebAuthnError) {
        guard let json, let id = Base64URL.decode(json["id"]), let client = Base64URL.decode(json["clientDataJSON"]),
            let data = Base64URL.decode(json["authenticatorData"]), let signature = Base64URL.decode(json["signature"])
        else { throw WebAuthnError(.malformed, "the passkey's answer lacks a part") }
        guard let output = Base64URL.decode(json["prf"]), output.count == 32 else {
            throw WebAuthnError(
                .missingExtension,
                "this passkey cannot unlock a vault (no PRF extension); use another, or the passphrase")
        }
        assertion = PasskeyAssertion(
            credentialID: id, clientDataJSON: client, authenticatorData: data, signature: signature)
        self.output = Secret(bytes: output)
    }

    var passkey: AnsweredPasskey { AnsweredPasskey(credentialID: assertion.credentialID, output: output) }
}

extension PageState {
    /// Returns the options with which a browser asks one of this phone's passkeys.
    func assertionOptions(for purpose: ChallengePurpose) throws -> JSONValue {
        let passkeys = try home.vault.slots().compactMap(\.passkey)
        return Self.options(challenge: challenge(for: purpose), site: try relyingParty(), passkeys: passkeys)
    }

    private static func options(
        challenge: [UInt8], site: RelyingParty, passkeys: [KeySlot.Passkey]
    ) -> JSONValue {
        let inputs = passkeys.map { (Base64URL.encode($0.credentialID), $0.prfInput) }
        return [
            "challenge": .string(Base64URL.encode(challenge)), "rpId": .string(site.id), "timeout": 120_000,
            "userVerification": "required",
            "allowCredentials": .array(inputs.map { ["type": "public-key", "id": .string($0.0)] }),
            "prf": .object(
                Dictionary(inputs.map { ($0.0, .string(Base64URL.encode($0.1))) }, uniquingKeysWith: { $1 })),
        ]
    }

    /// Verifies an answer for its one purpose, and returns the verification that opens the vault. A refused answer is
    /// audited.
    ///
    /// - Parameter passphrase: opens the vault together with the passkey, where its slot needs both.
    func verification(
        _ json: JSONValue?, for expected: ChallengePurpose, and passphrase: Secret, from source: PassphraseSource
    ) async throws -> any UserVerification {
        try await auditingFailures(of: expected) {
            try await self.verified(try PostedAssertion(json), for: expected, and: passphrase, from: source)
        }
    }

    private func auditingFailures<Success: Sendable>(
        of purpose: ChallengePurpose, _ body: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await body()
        } catch let error as WebAuthnError {
            try await store.audit.record(
                AuditEvent(
                    .passkeyFailed, severity: .warning,
                    details: [
                        "purpose": .string(purpose.word), "reason": .string(error.code.rawValue),
                        "message": .string(error.message),
                    ]))
            throw error
        }
    }

    private func verified(
        _ posted: PostedAssertion, for expected: ChallengePurpose, and passphrase: Secret, from source: PassphraseSource
    ) async throws -> any UserVerification {
        let id = posted.assertion.credentialID
        try await verify(posted, for: expected)
        guard try home.vault.slots().contains(where: { $0.needsBoth && $0.passkey?.credentialID == id }) else {
            return PasskeyVerification(credentialID: id, output: posted.output)
        }
        return PasskeyAndPassphraseVerification(
            credentialID: id, output: posted.output, passphrase: passphrase, from: source)
    }

    /// Verifies an answer for its one purpose, and counts the passkey's use.
    private func verify(_ posted: PostedAssertion, for expected: ChallengePurpose) async throws {
        guard let (purpose, challenge) = purpose(of: posted.assertion.clientDataJSON), purpose == expected else {
            throw WebAuthnError(.wrongChallenge, "the answer belongs to another question or came too late; try again")
        }
        let id = posted.assertion.credentialID
        let slot = try home.vault.slots().compactMap(\.passkey).first { $0.credentialID == id }
        guard let slot, let state = try await store.passkeyState(id) else {
            throw WebAuthnError(.unknownCredential, "this passkey does not belong to this phone")
        }
        let known = PasskeyAssertion.Known(
            credentialID: id, publicKey: slot.publicKey, signCount: state.signCount,
            isBackupEligible: state.isBackupEligible)
        let count = try posted.assertion.verified(by: known, challenge: challenge, relyingParty: try relyingParty())
        guard try await store.recordPasskeyUse(id, before: state.signCount, now: count, at: Date()) else {
            throw WebAuthnError(.counterWentBack, "the passkey was used twice at once; try again")
        }
    }

    // MARK: Requiring both

    /// Wraps the vault key under a passkey and the passphrase, so that neither opens the vault alone any more.
    func requireBoth(_ json: JSONValue, session: PageSession) async throws {
        try checkVaultIsIdle()
        vaultReplacements += 1
        defer { vaultReplacements -= 1 }
        try await auditingFailures(of: .requireBoth(session: session.id)) {
            let posted = try PostedAssertion(json["assertion"])
            try await self.verify(posted, for: .requireBoth(session: session.id))
            // A run may have begun meanwhile.
            try self.checkVaultIsIdle()
            let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
            let (slot, key) = try await self.home.requireBoth(
                passkey: posted.assertion.credentialID, output: posted.output, passphrase: passphrase,
                in: session.browser.id)
            await self.took(key, session)
            self.notify(
                "the vault opens only with the passkey “\(slot.name)” and the passphrase together from now on")
            self.changes.send()
        }
    }

    /// An approved run, and a bank that is being added, have the vault open under its key, and fail when another one replaces it, or
    /// none is left.
    func checkVaultIsIdle() throws(PhoneError) {
        if runner?.hasRunsUnderWay == true {
            throw PhoneError(.homeBusy, "a statement is being fetched; try again when it has ended")
        }
        try checkNothingIsAdded()
    }

    /// Goes on after the vault has got another key, and with it others for copies of documents and for messages. Whatever fails here,
    /// the vault has changed, and the owner is told so.
    private func took(_ key: NewKey, _ session: PageSession) async {
        runner?.forgetCopies()
        if let messageKey = key.messageKey { history.useMessageKey(messageKey) }
        do {
            try await forgetOtherBrowsers(than: session)
        } catch {
            notify("other browsers cannot be forgotten: \(error)")
        }
    }

    // MARK: The passphrase

    /// True where passkeys open the vault. The passphrase alone then changes none of the ways into it, and deletes nothing: a thief
    /// of the passphrase could lock the owner out.
    func hasPasskeys() throws -> Bool { try home.vault.slots().contains { !$0.isPassphrase } }

    /// Verifies the consent of a passkey, where the vault has passkeys.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    /// - Returns: the passkey; nil where the vault has none, so that the passphrase is all that is asked for.
    func consentingPasskey(
        _ assertion: JSONValue?, to purpose: ChallengePurpose
    ) async throws -> AnsweredPasskey? {
        guard try hasPasskeys() else { return nil }
        return try await auditingFailures(of: purpose) {
            let posted = try PostedAssertion(assertion)
            try await self.verify(posted, for: purpose)
            return posted.passkey
        }
    }

    /// Gives the vault a new key and a new passphrase. Where the vault has passkeys, one consents and goes on, and the others end.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    func changePassphrase(
        _ assertion: JSONValue?, from old: Secret, to new: Secret, session: PageSession
    ) async throws {
        try checkVaultIsIdle()
        vaultReplacements += 1
        defer { vaultReplacements -= 1 }
        let passkey = try await consentingPasskey(assertion, to: .changePassphrase(session: session.id))
        let secrets = try await home.open(ownersVerification(old, with: passkey), reason: "Change the passphrase")
        defer { secrets.close() }
        // Opening takes time, in which the browser may have been forgotten.
        guard isSignedIn(session) else { throw PageRefusal.signInFirst }
        // A run may have begun meanwhile.
        try checkVaultIsIdle()
        let key = try await home.changePassphrase(
            of: secrets, from: old, to: new, keeping: passkey, endsPasskeys: passkey != nil,
            in: (session.browser.id, session.browser.name))
        await took(key, session)
        let passkeys = key.ended.isEmpty ? "" : ", and these passkeys ended: \(key.ended.joined(separator: ", "))"
        notify(
            "the passphrase of the vault was changed on the page, by \(session.browser.name)\(passkeys); if it was not you, remove this "
                + "phone's device at the broker, and change your password at the bank")
        changes.send()
    }

    /// Returns the verification by the passphrase, with the passkey's answer where the vault needs both together.
    ///
    /// - Parameter passkey: its answer has been verified; nil where the vault has none.
    func ownersVerification(
        _ passphrase: Secret, with passkey: AnsweredPasskey?
    ) throws -> any UserVerification {
        let needsBoth = try home.vault.slots().contains {
            $0.needsBoth && $0.passkey?.credentialID == passkey?.credentialID
        }
        guard needsBoth, let passkey else { return PassphraseVerification(passphrase, from: .page) }
        return PasskeyAndPassphraseVerification(
            credentialID: passkey.credentialID, output: passkey.output, passphrase: passphrase, from: .page)
    }

    // MARK: Making one

    /// Returns the options with which a browser makes a passkey and then asks it once.
    func registrationOptions(session: PageSession) throws -> JSONValue {
        let site = try relyingParty()
        let prfInput = RandomBytes.make(32)
        let challenge = challenge(for: .register(prfInput: prfInput, session: session.id))
        let proof = self.challenge(for: .prove(prfInput: prfInput, session: session.id))
        let known = try home.vault.slots().compactMap(\.passkey)
        return [
            "confirmation": try assertionOptions(for: .addPasskey(session: session.id)),
            "challenge": .string(Base64URL.encode(challenge)), "rp": ["id": .string(site.id), "name": "Countersign"],
            "user": [
                "id": .string(Base64URL.encode(RandomBytes.make(16))), "name": "countersign",
                "displayName": "Countersign",
            ],
            "pubKeyCredParams": .array(
                COSEKey.algorithms.map { ["type": "public-key", "alg": .number(Double($0))] }),
            "authenticatorSelection": ["residentKey": "preferred", "userVerification": "required"],
            "attestation": "none", "timeout": 120_000,
            "excludeCredentials": .array(
                known.map { ["type": "public-key", "id": .string(Base64URL.encode($0.credentialID))] }),
            "prfInput": .string(Base64URL.encode(prfInput)), "proofChallenge": .string(Base64URL.encode(proof)),
        ]
    }

    /// Adds a slot for a new passkey. The passkey must have answered once: that shows that it works, that its
    /// pseudo-random function works, and, as no attestation is signed, that the registration was not tampered with.
    ///
    /// The passphrase alone adds none, or it would stand for both factors: a passkey of this vault has to consent, or the
    /// person at the terminal.
    func register(_ json: JSONValue, session: PageSession, named name: String) async throws {
        try await auditingFailures(of: .addPasskey(session: session.id)) {
            try await self.add(json, session: session, named: name)
        }
    }

    /// Checks a passphrase and a code from the terminal before a browser makes a passkey. One that is refused afterwards would
    /// stay in its authenticator.
    ///
    /// - Parameter json: without a code, another passkey consents later, and nothing is checked.
    func checkConsent(_ json: JSONValue, session: PageSession) async throws {
        guard let code = json["code"]?.stringValue, !code.isEmpty else { return }
        try await auditingFailures(of: .addPasskey(session: session.id)) {
            guard try await self.store.isValid(Secret(code), for: .addPasskey) else { throw Self.consentMissing }
        }
        let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
        try await home.open(PassphraseVerification(passphrase, from: .page), reason: "Add a passkey").close()
    }

    private static let consentMissing = WebAuthnError(
        .consentMissing,
        "a new passkey needs a passkey of this vault, or a code from the terminal: countersign phone passkey code")

    /// Opens the vault by the consent to a change of its passkeys: a passkey's, or the passphrase with a code from the
    /// terminal.
    private func consent(
        _ json: JSONValue, to purpose: ChallengePurpose, code codePurpose: TerminalCode.Purpose, reason: String,
        otherwise advice: String
    ) async throws -> VaultSecretStore {
        let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
        if let confirmation = json["confirmation"], confirmation != .null {
            let verification = try await verified(
                try PostedAssertion(confirmation), for: purpose, and: passphrase, from: .page)
            return try await home.open(verification, reason: reason)
        }
        let code = Secret(json["code"]?.stringValue ?? "")
        let refusal = WebAuthnError(.consentMissing, advice)
        guard try await store.isValid(code, for: codePurpose) else { throw refusal }
        let secrets = try await home.open(PassphraseVerification(passphrase, from: .page), reason: reason)
        guard try await store.use(code, for: codePurpose) else {
            secrets.close()
            throw refusal
        }
        return secrets
    }

    private func add(_ json: JSONValue, session: PageSession, named name: String) async throws {
        let site = try relyingParty()
        guard let client = Base64URL.decode(json["registration"]?["clientDataJSON"]),
            let object = Base64URL.decode(json["registration"]?["attestationObject"]),
            let (made, challenge) = purpose(of: client), case .register(let prfInput, session.id) = made
        else { throw WebAuthnError(.wrongChallenge, "the new passkey's answer belongs to another question; try again") }
        let proof = try PostedAssertion(json["proof"])
        guard let (proved, proofChallenge) = purpose(of: proof.assertion.clientDataJSON),
            proved == .prove(prfInput: prfInput, session: session.id)
        else { throw WebAuthnError(.wrongChallenge, "the new passkey's proof belongs to another question; try again") }
        let registered = try PasskeyRegistration(clientDataJSON: client, attestationObject: object)
            .verified(challenge: challenge, relyingParty: site)
        let known = PasskeyAssertion.Known(
            credentialID: registered.credentialID, publicKey: registered.publicKey, signCount: registered.signCount,
            isBackupEligible: registered.isBackupEligible)
        let count = try proof.assertion.verified(by: known, challenge: proofChallenge, relyingParty: site)
        let passkey = KeySlot.Passkey(
            credentialID: registered.credentialID, publicKey: registered.publicKey, prfInput: prfInput)
        let secrets = try await consent(
            json, to: .addPasskey(session: session.id), code: .addPasskey, reason: "Add the passkey “\(name)”",
            otherwise: Self.consentMissing.message)
        defer { secrets.close() }
        // Store the state first: a slot without it could not be used, while a state without a slot does no harm.
        try await store.rememberPasskey(
            registered.credentialID, signCount: count, isBackupEligible: registered.isBackupEligible, at: Date())
        let needsBoth = try await secrets.slots().contains(where: \.needsBoth)
        let passphrase = needsBoth ? Secret(json["passphrase"]?.stringValue ?? "") : nil
        let slot = try await secrets.addPasskey(passkey, output: proof.output, named: name, and: passphrase)
        try await notice(
            AuditEvent(
                .passkeyAdded, severity: .warning, details: ["slot": .string(slot.id), "name": .string(name)]),
            "the passkey “\(name)” was added to the vault; if it was not you, remove it and change the passphrase")
    }

    /// Returns whether the page may remove a slot. A vault that needs both keeps every slot: without it the vault is lost.
    static func isRemovable(_ slot: KeySlot, among slots: [KeySlot]) -> Bool {
        !slot.needsBoth && (!slot.isPassphrase || slots.count(where: \.isPassphrase) > 1)
    }

    /// Renames a slot; this needs no open vault.
    func renameSlot(_ id: String, to name: String) async throws {
        guard try home.vault.slots().contains(where: { $0.id == id }) else { throw PageRefusal.notFound }
        try await store.nameSlot(id, name)
        try await store.audit.record(
            AuditEvent(.passkeyRenamed, details: ["slot": .string(id), "name": .string(name)]))
    }

    /// Removes a slot, unless the page needs it.
    ///
    /// The passphrase alone removes none, or its thief could lock the owner out and leave one factor: a passkey of this
    /// vault has to consent, or the person at the terminal.
    func removeSlot(_ id: String, _ json: JSONValue, session: PageSession) async throws {
        let purpose = ChallengePurpose.removeSlot(id, session: session.id)
        let secrets = try await auditingFailures(of: purpose) {
            try await self.consent(
                json, to: purpose, code: .removePasskey, reason: "Remove a way into the vault",
                otherwise: "the removal needs a passkey of this vault, or a code from the terminal: "
                    + "countersign phone passkey code --to-remove")
        }
        defer { secrets.close() }
        let slots = try await secrets.slots()
        let slot = slots.first { $0.id == id }
        if let slot, !Self.isRemovable(slot, among: slots) {
            throw PhoneError(.invalidSetting, "this is the only passphrase; the page needs it to change passkeys")
        }
        try await secrets.removeSlot(id)
        if let passkey = slot?.passkey { try await store.forgetPasskey(passkey.credentialID) }
        let name = try await store.slotNames()[id] ?? slot?.name ?? ""
        try await notice(
            AuditEvent(
                .passkeyRemoved, severity: .warning, details: ["slot": .string(id), "name": .string(name)]),
            "“\(name)” was removed from the ways into the vault; if it was not you, change the passphrase")
    }
}
