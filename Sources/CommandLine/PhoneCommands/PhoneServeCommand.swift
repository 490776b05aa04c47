import ApprovalPage
import ArgumentParser
import Automation
import CountersignPlugins
import DefaultBank
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Machine
import Notifications
import Phone
import PhoneStore
import Secrets
import Storage
import Terminal

struct PhoneServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the approval page for a phone's browser.",
        discussion: """
            Without --tls only this machine can open the page. With it, the page has a certificate of an authority of its own, \
            which each device has to trust once: countersign phone authority. Or let a proxy on this machine serve the page \
            with TLS, and name the address that browsers show: --behind-proxy. \
            Passkeys belong to the page's host name: choose it once. It cannot be an IP address. \
            The address that is printed works in one browser, once; countersign phone address prints another. A service \
            writes none into its journal. \
            With --passphrase-file requests appear before anyone signs in; the vault itself stays locked until you approve.

            VAPID_SUBJECT, a mail or web address of yours such as mailto:name@provider.net, lets browsers be notified of \
            requests: their push services ask for it. In a desktop session notify-send shows a notice, too. \
            PHONE_RETENTION_DAYS removes records of the phone's audit log after so many days; else they stay.
            """)

    @OptionGroup var phone: PhoneOptions

    @Option(help: "The port; 0 for a free one.")
    var port = 8766

    @Option(help: "The address to listen on; :: for all networks, IPv4 and IPv6, which needs --tls.")
    var address = "127.0.0.1"

    @Option(help: "The host name by which browsers reach this machine.")
    var hostName = "localhost"

    @Flag(help: "Serve over TLS, with a certificate of the phone's own authority unless --certificate is given.")
    var tls = false

    @Option(help: ArgumentHelp("A proxy on this machine serves the page at this https address.", valueName: "origin"))
    var behindProxy: String?

    @Option(help: "A PEM file with the certificate chain; needs --key.")
    var certificate: String?

    @Option(help: "A PEM file with the certificate's private key.")
    var key: String?

    @Flag(help: "Print JSON, one object per line: first the page's origin and its address with the code.")
    var json = false

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key go together")
        }
        guard behindProxy == nil || (!tls && certificate == nil && hostName == "localhost") else {
            throw ValidationError(
                "--behind-proxy names the host and leaves TLS to the proxy; leave --tls, --host-name and --certificate out"
            )
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port goes from 0 to 65535") }
    }

    /// Leaves out the script of the bank that ships, which does not exist, unless this phone uses it: the page would offer to
    /// save credentials for it. Pointed at a test bank, it is another script.
    private func withoutFiction(_ scripts: ScriptRegistry) async throws -> ScriptRegistry {
        let shipped = MeridianSavings.bankID
        guard phone.phoneHome.vault.exists, scripts.script(forBank: shipped)?.isOfFictitiousBank == true,
            try await PhoneDatabase(phone.phoneHome).credentialTimes()[shipped] == nil
        else { return scripts }
        return scripts.without(shipped)
    }

    /// The banks that the page adds; nil for a phone without a folder of scripts.
    private func banksOnPage(_ services: PhoneServices) throws -> BanksOnPage? {
        let home = phone.phoneHome
        let isHouseholds = HouseholdFile.current?.phone?.isIn(home.folder) == true
        return BanksOnPage(
            of: home, given: phone.scriptFolder.scripts,
            countingIn: isHouseholds ? HouseholdFile.dataFolder() : nil,
            EngineSettings(certificateAuthority: try phone.bankAuthority, sharesNetwork: phone.sharedNetwork),
            visits: services.visits,
            reading: BanksOnPage.Reading(
                reached: { phone.reached($0) }, served: { try await withoutFiction(try phone.registry) }))
    }

    func run() async throws {
        try await phone.vault.reportingFailures {
            _ = try phone.vault.home.phone()
            var services = try phone.services
            services.scripts = try await withoutFiction(services.scripts)
            // A script that is not used would else be missed only when its bank's old pages are visited.
            if let notice = ConfinedReader.notice { Console.standard.error(notice) }
            for refusal in services.scripts.refusals { Console.standard.error("not used: \(refusal.message)") }
            var configuration = try pageConfiguration
            configuration.notifications = try notifications
            configuration.banks = try banksOnPage(services)
            configuration.onNewPassphrase = { passphrase in endFile(with: passphrase) }
            if let household = HouseholdOnPage(ofPhoneIn: phone.phoneHome.folder) {
                configuration.household = household
                configuration.statements = { household.statements }
                configuration.pairings = PairingsOnPage(household: household)
            }
            let server = try PageServer(
                home: phone.phoneHome, services: services, configuration: configuration)
            try await recordPlugins()
            let retention = try PhoneSetting.retentionDays(in: ProcessInfo.processInfo.environment)
                .map { LogRetention(home: phone.phoneHome, days: $0) }
            let pruning = Task { await retention?.run() }
            defer { pruning.cancel() }
            if phone.passphraseFile != nil { try await unlock(server) }
            let desk = DeskServer(home: phone.phoneHome, page: server)
            defer { desk.end() }
            let desktop = DesktopNotices()
            await server.onRequest { agent in
                Task {
                    await desktop.tell(
                        await server.requestNotice(ProcessInfo.processInfo.environment), from: agent?.description ?? "")
                }
            }
            let deletion = try await server.run { page in
                do {
                    try desk.open()
                } catch {
                    Console.standard.error("\(error)")
                }
                show(page)
            } onNotice: { notice in
                show(notice)
            }
            if let deletion { try tell(of: deletion) }
        }
    }

    // MARK: The file with the passphrase

    /// Unlocks the phone with the passphrase of a file. The page of a trial stays locked where that passphrase opens nothing:
    /// the owner has chosen another one, and did not name the file themselves.
    private func unlock(_ server: PageServer) async throws {
        let verification = PassphraseVerification(try phone.passphrase())
        do {
            try await server.unlock(verification)
        } catch let error as VaultError {
            guard let trial, trial.isNamed(by: phone.passphraseFile), let notice = trial.notice(after: error) else {
                throw error
            }
            show(notice, isFileRefused: error.code != .noPassphrase)
        }
    }

    /// Ends the file of a trial once its passphrase was changed on the page, and tells of any other file.
    private func endFile(with new: Secret) {
        do {
            if try trial?.end(with: new) == true { return }
        } catch {
            show(error.message)
        }
        guard let file = phone.passphraseFile, file != "-", trial?.isNamed(by: file) != true else { return }
        show("\(file) has the former passphrase. Put the new one there before the page is started again with it")
    }

    /// Nil unless this is the phone of the user's trial.
    private var trial: TrialPassphrase? { TrialPassphrase(ofPhoneIn: phone.phoneHome.folder) }

    /// Says that the phone was deleted on its page, once the household's file knows it: another one can then be set up.
    private func tell(of deletion: PhoneDeletion) throws {
        let folder = phone.phoneHome.folder
        if !phone.phoneHome.vault.exists { try HouseholdFile.notePhoneDeleted(in: folder) }
        if let failure = deletion.failure {
            throw CommandFailure(
                "the phone in \(folder.path) was deleted on its page, but not as a whole: \(failure.message); then delete the rest "
                    + "with: countersign phone remove")
        }
        guard !json else {
            let line: JSONValue = ["deleted": .string(folder.path), "left": .array(deletion.left.map { .string($0) })]
            return Console.standard.line(line.compactText())
        }
        Console.standard.line("The phone in \(folder.path) was deleted on its page.")
        if !deletion.left.isEmpty {
            Console.standard.line("Left in the folder: \(deletion.left.joined(separator: ", "))")
        }
    }

    /// Records the plug-ins of others with which this phone runs: they see what a script fills in, and give codes.
    private func recordPlugins() async throws {
        let names = Plugins.current.ofOthers.map { "\($0.kind.rawValue) \($0.name) (\($0.module))" }
        guard !names.isEmpty, FileManager.default.fileExists(atPath: phone.phoneHome.database.path) else { return }
        try await PhoneDatabase(phone.phoneHome).audit.record(
            AuditEvent(
                .pluginsLoaded, severity: .warning, details: ["plugins": .string(names.joined(separator: ", "))]))
    }

    /// Prints the address with its code, which is for this terminal only.
    private func show(_ page: OpenedPage) {
        let address = page.address.revealed()
        if ServiceJournal.takesOutput {
            Console.standard.line(
                json
                    ? JSONValue.object(["origin": .string(page.origin)]).compactText()
                    : ServiceJournal.words(onPageAt: page.origin))
        } else if json {
            let line: JSONValue = ["origin": .string(page.origin), "address": .string(address)]
            Console.standard.disclose(line.compactText() + "\n")
        } else {
            Console.standard.disclose("The approval page is open at \(address)\n")
        }
        for notice in page.notices { show(notice) }
    }

    /// - Parameter isFileRefused: the file with the passphrase of a trial does not open the vault.
    private func show(_ notice: String, isFileRefused: Bool = false) {
        if json {
            var line: [String: JSONValue] = ["notice": .string(notice)]
            if isFileRefused { line["file_refused"] = true }
            Console.standard.line(JSONValue.object(line).compactText())
        } else {
            Console.standard.line("Notice: \(notice)")
        }
    }

    private var notifications: NotificationsConfiguration? {
        get throws {
            try PhoneSetting.pushSubject(in: ProcessInfo.processInfo.environment)
                .map { NotificationsConfiguration(subject: $0) }
        }
    }

    private var pageConfiguration: PageServerConfiguration {
        get throws {
            if let behindProxy {
                let origin = try ProxyOrigin(behindProxy)
                return PageServerConfiguration(
                    hostName: origin.hostName, address: address, port: port, security: .behindProxy(origin))
            }
            return PageServerConfiguration(hostName: hostName, address: address, port: port, security: security)
        }
    }

    private var security: PageServerConfiguration.Security {
        if let certificate, let key {
            return .certificate(chain: URL(filePath: certificate), key: URL(filePath: key))
        }
        return tls ? .ownAuthority : .loopback
    }
}
