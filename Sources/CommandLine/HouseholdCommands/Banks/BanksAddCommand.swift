import ArgumentParser
import BankScript
import Foundation
import KeyVault
import Machine
import Phone
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

package struct BanksAddCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a bank to the phone of this machine.",
        discussion: """
            Give the file of the bank's script, or the id of a bank whose script is in the phone's folder of scripts. You are \
            asked for the vault's passphrase, which tells whether you have accepted the script before. If not, you see what it \
            does, and agree to it once. Then you are asked for the bank's credentials, and whether to try them with one \
            sign-in. The script is copied into the folder of scripts.

            Stop the household first: countersign up --stop.

            Exit status: 0 added, 1 not added, 2 a wrong command line or something is missing, 3 the file is not a valid \
            script.
            """)

    @Argument(help: "The file of a script, or a bank's id.", completion: .file(extensions: ["yaml", "yml"]))
    var bank: String

    @OptionGroup var vault: VaultOptions

    @OptionGroup var scripts: ScriptFolderOptions

    @Option(help: "A JSON file such as {\"username\": \"…\", \"password\": \"…\"}, - for standard input.")
    var credentials: String?

    @Option(help: "The script's digest, or its first twelve or more digits; accepts it without a question.")
    var digest: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Try the credentials with one sign-in before they are stored, or store them untried. By default you are asked at a \
            terminal, and without one nothing is sent.
            """)
    var testLogin: Bool?

    package init() {}

    package func run() async throws {
        try await vault.reportingFailures {
            let home = try vault.home.phone()
            try checkIsStopped(home)
            tellOfTrial(home)
            let lock = try vault.claim(home)
            defer { withExtendedLifetime(lock) {} }
            let folder = try BankScriptFolder(given: scripts.scripts, of: home)
            let placed = try folder.script(named: bank)
            let script = placed.script
            // A file that does not fit leaves nothing behind: no acceptance, and nothing in the vault.
            let given = try credentials.map {
                try ScriptFolderOptions.answers(to: script, ofBank: script.id, file: $0)
            }
            let secrets = try await opened(home)
            defer { secrets.close() }
            let stored = CredentialVault(secrets, store: try PhoneDatabase(home))
            guard try await !stored.banks().contains(where: { $0.bankID == script.id }) else {
                throw CommandFailure(
                    "the credentials of “\(script.id)” are stored already; change them with: countersign phone banks change "
                        + script.id)
            }
            let acceptance = ScriptAcceptance(of: script, home: home.folder, digest: digest)
            if !placed.isPluggedIn {
                // A script that was accepted without the vault is shown here, too: the acceptance may be another program's.
                try await acceptance.complete(in: secrets) { try await acceptance.perform() }
            }
            var answers = try given ?? ScriptFolderOptions.answers(to: script, ofBank: script.id, file: nil)
            if let login = try await login(to: script, folder, of: home) { answers = try await login.checked(answers) }
            try folder.place(placed)
            try await stored.replace(answers, forBank: script.id)
            try await folder.handOverRefusals(ofBank: script.id)
            try folder.remember(placed)
            tell(script, isHousehold: folder.household != nil)
        }
    }

    /// The vault of a trial is opened by words that lie in a file beside it, until its owner changes them.
    private func tellOfTrial(_ home: PhoneHome) {
        guard TrialPassphrase(ofPhoneIn: home.folder)?.exists == true else { return }
        Console.standard.paragraph(
            "This is a trial's phone, and its passphrase of three words lies in a file. Before you keep a real bank's password here, "
                + "change it with: countersign phone passphrase change. Or begin anew with: countersign up --remove",
            .bad)
    }

    /// A phone of a household that runs is busy also while its page is locked: it has read its scripts.
    private func checkIsStopped(_ home: PhoneHome) throws {
        guard HouseholdFile.current?.phone?.isIn(home.folder) == true else { return }
        if !RunningHousehold(dataFolder: HouseholdFile.dataFolder()).members.isEmpty { throw vault.busy }
    }

    /// Opens the vault. A passphrase that was mistyped at a terminal is asked for again.
    private func opened(_ home: PhoneHome) async throws -> VaultSecretStore {
        while true {
            let passphrase = try vault.passphrase()
            do {
                return try await home.open(PassphraseVerification(passphrase), reason: "Add a bank")
            } catch let error as VaultError where error.code == .wrongPassphrase && vault.passphraseFile == nil {
                Asking.say("\(error)")
            }
        }
    }

    /// Returns the test login; nil where none is possible or wanted.
    private func login(
        to script: BankScript, _ folder: BankScriptFolder, of home: PhoneHome
    ) async throws -> TestLogin? {
        guard testLogin != false, folder.household != nil, testLogin != nil || Asking.isPossible else { return nil }
        var login = TestLogin(
            of: script, dataFolder: HouseholdFile.dataFolder(), file: credentials,
            authority: folder.household?.phone?.authority, besideVaultOf: home, output: HouseholdOutput(json: false))
        login?.command = "countersign banks add \(bank)"
        guard let offered = login, try offered.isToBeMade(orWaived: testLogin == nil) else { return nil }
        guard testLogin == nil else { return offered }
        return try await offered.isWanted ? offered : nil
    }

    private func tell(_ script: BankScript, isHousehold: Bool) {
        Console.standard.line("Added: \(script.name.inLine()).")
        let start = isHousehold ? "countersign up" : "countersign phone serve"
        if let next = HouseholdStart.wordsOnConnecting(script) { Console.standard.paragraph(next) }
        Console.standard.paragraph(
            "Start again with \(start), and unlock the page. Then ask for a statement with: countersign request last-month "
                + "--bank \(script.id)")
    }
}
