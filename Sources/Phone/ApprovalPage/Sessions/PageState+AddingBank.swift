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
        let runner = try unlocked()
        try checkNothingIsAdded(signingIn: signsIn)
        let secrets = try await home.open(verification, reason: "Add the bank \(read.script.name.inLine())")
        let stored = CredentialVault(secrets, store: store)
        do {
            // The vault takes its time to open: another browser may have begun, and this one may have been forgotten.
            guard isSignedIn(session) else { throw PageRefusal.signInFirst }
            guard try await !stored.banks().contains(where: { $0.bankID == read.script.id }) else {
                throw PhoneError(
                    .invalidSetting,
                    "the credentials of “\(read.script.id)” are stored already; change them under Banks")
            }
            try checkNothingIsAdded(signingIn: signsIn)
        } catch {
            secrets.close()
            throw error
        }
        let addition = BankAddition(of: read.script)
        let prompt = prompt
        let changes = changes
        begin(addition) {
            let end: BankAddition.End
            do {
                let known = try await banks.add(
                    read, credentials, to: stored, tryingWith: signsIn ? prompt : nil)
                secrets.close()
                let isServed = await self.serve(read, through: banks, runner)
                await self.added(read.script, by: session)
                end = .added(known, isServed: isServed)
            } catch {
                secrets.close()
                end = .failed(error)
            }
            addition.ended(end)
            changes.send()
        }
    }

    /// Checks that no bank is being added, and that nothing else has the page's one question when a sign-in may need it.
    private func checkNothingIsAdded(signingIn signsIn: Bool) throws(PhoneError) {
        guard !isAdding else { throw PhoneError(.homeBusy, "a bank is being added; try again when that has ended") }
        if signsIn { try checkVaultIsIdle() }
    }

    /// Has the phone use a new script from now on, and tells the broker of its bank.
    ///
    /// - Returns: false where the phone does not have the script before it is started again.
    private func serve(_ read: ReadScript, through banks: any PageBanks, _ runner: PhoneRunner) async -> Bool {
        guard let scripts = try? await banks.served() else { return false }
        services.served.replace(with: scripts)
        // A broker that does not answer is told at the next refresh, which tells the owner as well.
        try? await runner.tellOfBanks()
        let id = read.script.id
        return read.isPluggedIn
            ? scripts.script(forBank: id) != nil : scripts.acceptedDigest(forBank: id) == read.script.digest
    }

    private func added(_ script: BankScript, by session: PageSession) {
        forgetReadScripts(ofBank: script.id)
        notify(
            "the bank “\(script.name.inLine())” was added on the page, by \(session.browser.name), with the script "
                + "\(script.digest.short); if it was not you, take the script back (countersign phone scripts revoke "
                + "\(script.digest.short)), and change the passphrase")
    }
}
