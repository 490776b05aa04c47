import Automation
import BankScript
import Foundation
import KeyVault
import PhoneStore
import Secrets

/// Connects a bank: obtains credentials in exchange for those that the owner gave, and seals them in the vault.
///
///     let until = try await BankConnection(home: home, secrets: secrets, services: services).connect(script, with: browser)
package struct BankConnection: Sendable {
    private let home: PhoneHome
    private let secrets: VaultSecretStore
    private let services: PhoneServices

    /// - Parameter secrets: the open vault.
    package init(home: PhoneHome, secrets: VaultSecretStore, services: PhoneServices) {
        self.home = home
        self.secrets = secrets
        self.services = services
    }

    /// Asks the owner for a yes, and keeps what the bank gives in place of what was kept before.
    ///
    /// - Returns: the end of the owner's consent, where it is known.
    /// - Throws: ``RunFailure`` with the reason why the bank gave nothing, or ``PhoneError``; `fileChanged` for a script that is
    ///   not accepted any more, or for which the vault does not vouch. Its vault is closed then.
    package func connect(_ script: BankScript, with browser: any OwnersBrowser) async throws -> Date? {
        let (runner, vault, given) = try await runner(for: script)
        defer { given.wipe() }
        let entry = VaultGrantStore.entry(script.id)
        let before = try await secrets.secret(named: entry)
        let end = try await runner.connect(script, with: browser)
        let after = try await secrets.secret(named: entry)
        defer { for kept in [before, after] { kept?.wipe() } }
        // A hold on the bank was about the credentials before, if the bank gave others now.
        let isSame = if let before, let after { after.isEqual(to: before) } else { before == nil && after == nil }
        try await vault.remember(script.id, areOther: !isSame)
        return end
    }

    /// Fetches a document with what the exchange gave, outside a request.
    package func fetch(
        _ script: BankScript, parameters: [String: ParameterValue]
    ) async throws -> FetchedDocument {
        let (runner, _, given) = try await runner(for: script)
        defer { given.wipe() }
        return try await runner.run(script, parameters: parameters)
    }

    private func runner(
        for script: BankScript
    ) async throws -> (ScriptRunner, CredentialVault, GivenCredentials) {
        try await VouchedFiles.check(
            scriptOf: script.id, in: services.scripts, of: home, secrets, at: services.clock.now)
        guard !script.isForTesting || services.servesTestBank else {
            throw PhoneError(
                .invalidSetting, "the script is for testing, and gets no credentials of the vault; give --bank-at")
        }
        let store = try PhoneDatabase(home)
        let given = GivenCredentials()
        let vault = CredentialVault(secrets, store: store)
        var host = HostServices(
            credentials: vault.provider(forBank: script.id, keeping: given, of: services.credentials),
            person: services.person,
            downloads: FolderSink(home.downloads), clock: services.clock)
        host.grants = VaultGrantStore(secrets: secrets, bankID: script.id, home: home, given: given)
        host.consents = store
        host.requests = store
        return (ScriptRunner(services: host, engine: services.engine), vault, given)
    }
}
