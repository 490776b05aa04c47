import Automation
import BankScript
import Encodings
import KeyVault
import Phone
import PhoneStore
import Secrets

extension PageState {
    /// Begins to add a bank, with a vault that is open for this only.
    ///
    /// - Parameters:
    ///   - read: the script as the session has read it.
    ///   - signsIn: tries the credentials with one sign-in before they are stored.
    func add(
        _ read: ReadScript, _ credentials: [String: Secret], signingIn signsIn: Bool, through banks: any PageBanks,
        with verification: any UserVerification, session: PageSession
    ) async throws {
        _ = try unlocked()
        // Two forms of a double click may come at once.
        if await begunAddition(read.script.digest.hex, by: session) != nil { return }
        try checkMayAdd(signingIn: signsIn)
        // From now on nothing else begins that has the vault open or asks the owner, though the vault takes its time to open.
        addingNext = read.script.digest
        defer { addingNext = nil }
        let secrets = try await home.open(verification, reason: "Add the bank \(read.script.name.inLine())")
        let stored = CredentialVault(secrets, store: store)
        let runner: PhoneRunner
        do {
            guard try await !stored.banks().contains(where: { $0.bankID == read.script.id }) else {
                throw PhoneError(
                    .invalidSetting,
                    "the credentials of “\(read.script.id)” are stored already; change them under Banks")
            }
            // Meanwhile the page may have ended, and the browser may have been forgotten.
            runner = try unlocked()
            guard isSignedIn(session) else { throw PageRefusal.signInFirst }
        } catch {
            secrets.close()
            throw error
        }
        let addition = BankAddition(of: read, signingIn: signsIn, by: session)
        let prompt = prompt
        let changes = changes
        begin(addition) {
            let end: BankAddition.End
            do {
                let added = try await addition.perform {
                    try await banks.add(read, credentials, to: stored, tryingWith: signsIn ? prompt : nil)
                }
                secrets.close()
                let served = await banks.served(read)
                await self.added(read.script, served, by: session)
                end = .added(added, served)
            } catch {
                secrets.close()
                end = .failed(error)
            }
            addition.ended(end)
            changes.send()
            guard case .added = end else { return }
            // A broker that does not answer holds nothing up, and is told at the next refresh, which tells the owner as well.
            try? await runner.tellOfBanks()
        }
    }

    /// Checks that nothing else has the vault open, or will have, and that nothing has the page's one question when a sign-in may
    /// need it.
    private func checkMayAdd(signingIn signsIn: Bool) throws(PhoneError) {
        try checkVaultIsIdle()
        if approvalsUnderWay > 0 {
            throw PhoneError(.homeBusy, "a request is being approved; try again when that has ended")
        }
        if vaultReplacements > 0 {
            throw PhoneError(.homeBusy, "the ways into the vault are being changed; try again when that has ended")
        }
        if signsIn, connectionsUnderWay > 0 {
            throw PhoneError(.homeBusy, "a bank is being connected; try again when that has ended")
        }
    }

    /// Returns the attempt that a browser has begun already when its form comes a second time, as after a double click. Waits while
    /// the vault opens for it.
    ///
    /// - Parameter digest: in hexadecimal digits.
    func begunAddition(_ digest: String, by session: PageSession) async -> BankAddition? {
        while addingNext?.hex == digest, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
        guard let addition = addition(digest), addition.session == session.id else { return nil }
        switch addition.end {
        case nil: return addition
        // The script is read anew before its bank is added once more.
        case .added?: return readScript(digest, of: session) == nil ? addition : nil
        case .failed?: return nil
        }
    }

    /// Has the phone use a new script from now on, and tells the owner.
    private func added(_ script: BankScript, _ served: ServedBank, by session: PageSession) {
        if case .served(let script, acceptedAs: let digest) = served { services.served.add(script, acceptedAs: digest) }
        forgetReadScripts(ofBank: script.id)
        notify(
            "the bank “\(script.name.inLine())” was added on the page, by \(session.browser.name), with the script "
                + "\(script.digest.short); if it was not you, take the script back (countersign phone scripts remove "
                + "\(script.digest.short)), and change the passphrase")
    }
}
