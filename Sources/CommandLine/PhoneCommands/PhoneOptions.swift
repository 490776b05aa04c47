import ArgumentParser
import Automation
import BankScript
import CountersignPlugins
import Foundation
import HTMLAutomation
import HouseholdCommands
import KeyVault
import Phone
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

/// The phone's folder, the passphrase of its vault, and the way to the bank.
struct PhoneOptions: ParsableArguments {
    @OptionGroup var vault: VaultOptions

    @Option(
        name: .customLong("bank-at"),
        help: ArgumentHelp("Reach the bank at this origin instead, e.g. a mock bank's.", valueName: "origin"))
    var bankOrigin: String?

    @OptionGroup var authority: AuthorityOption

    @Flag(help: .sharedNetwork)
    var sharedNetwork = false

    @OptionGroup var scriptFolder: ScriptFolderOptions

    var phoneHome: PhoneHome { vault.phoneHome }
    var passphraseFile: String? { vault.passphraseFile }

    func passphrase(_ question: String = "Passphrase of the vault:") throws -> Secret {
        try vault.passphrase(question)
    }

    /// Returns a runner for this home; its connection to the broker is read from the vault.
    func runner(_ verification: PassphraseVerification) async throws -> PhoneRunner {
        let home = try vault.home.phone()
        let vault = try await home.open(verification, reason: "Connect to the broker")
        defer { vault.close() }
        let services = try services
        let (connection, pinned) = try await BrokerTrust.connection(
            from: vault, store: try PhoneDatabase(home), http: services.brokerHTTP)
        if let pinned { Console.standard.error("the broker's certificate is pinned from now on: \(pinned)") }
        return try PhoneRunner(home: home, connection: connection, services: services)
    }

    /// The origin at which every bank is reached; nil where each is reached at its own.
    private var reachedOrigin: String? {
        bankOrigin ?? HouseholdFile.current?.mockBank(ofPhone: phoneHome.folder)
    }

    /// Returns a script as this phone reaches its bank.
    func reached(_ script: BankScript) -> BankScript {
        guard let origin = reachedOrigin else { return script }
        return script.served(at: origin, isForTesting: origin.isLoopbackOrigin)
    }

    /// The scripts of this phone, as they are on the disk now.
    ///
    /// - Throws: ``CommandFailure`` when the scripts' folder cannot be read.
    var registry: ScriptRegistry {
        get throws {
            let own = try scriptFolder.registry(home: phoneHome.folder)
            return reachedOrigin == nil ? own : own.changing(reached)
        }
    }

    /// A PEM file with an additional certificate authority of the banks; nil for the machine's alone.
    var bankAuthority: URL? {
        get throws { try authority.file ?? HouseholdFile.current?.authority(ofPhone: phoneHome.folder) }
    }

    /// - Throws: ``CommandFailure`` when the scripts' folder cannot be read.
    var services: PhoneServices {
        get throws {
            let registry = try registry
            let servesTestBank = reachedOrigin?.isLoopbackOrigin == true
            let engine = EngineConfiguration(certificateAuthority: try bankAuthority)
            var services = PhoneServices(scripts: registry, person: TerminalPrompt(), servesTestBank: servesTestBank) {
                [sharedNetwork] script in
                try await script.engine.start(for: script, engine, sharesNetwork: sharedNetwork)
            }
            services.brokerSockets = HouseholdFile.current?.brokerSockets(ofPhone: phoneHome.folder) ?? [:]
            services.visits = VisitProgram(authority: engine.certificateAuthority, sharesNetwork: sharedNetwork)
            services.codeSources = Plugins.current.codeSources
            services.inboxes = Plugins.current.inboxes
            services.credentials = PluggedCredentials(Plugins.current.credentials)
            services.deviceKeys = DeviceKeyMakers(Plugins.current.deviceKeys)
            services.sources = Plugins.current.sources(
                EngineSettings(certificateAuthority: engine.certificateAuthority))
            return services
        }
    }
}
