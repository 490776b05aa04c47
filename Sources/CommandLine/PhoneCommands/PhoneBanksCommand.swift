import ArgumentParser
import Automation
import Clocks
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import PhoneStore
import ScriptCommands
import Secrets
import Terminal

struct PhoneBanksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "banks", abstract: "List the banks with stored credentials; change or remove these.",
        discussion: "Credentials are listed by name; no command shows their values.",
        subcommands: [
            PhoneBanksListCommand.self, PhoneBanksChangeCommand.self, PhoneBanksProgramCommand.self,
            PhoneBanksRemoveCommand.self,
            PhoneBanksConnectCommand.self, PhoneBanksRemoveDeviceCommand.self,
        ],
        defaultSubcommand: PhoneBanksListCommand.self)
}

extension VaultOptions {
    /// Opens the vault for work on the banks' credentials.
    func withCredentials<Result>(
        changing: Bool, _ body: (CredentialVault) async throws -> Result
    ) async throws -> Result {
        try await reportingFailures {
            let home = try home.phone()
            let passphrase = try passphrase()
            // A running page holds the home; its next run reads the vault anew, so that listing needs no claim.
            let lock = changing ? try home.claim() : nil
            defer { withExtendedLifetime(lock) {} }
            let secrets = try await home.open(
                PassphraseVerification(passphrase), reason: "Manage the banks' credentials")
            defer { secrets.close() }
            return try await body(CredentialVault(secrets, store: PhoneDatabase(home)))
        }
    }
}

struct PhoneBanksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show each bank, the names of its credentials, and when they were used.")

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print JSON, one bank per line.")
    var json = false

    func run() async throws {
        try await vault.withCredentials(changing: false) { credentials in
            let banks = try await credentials.banks()
            let store = try PhoneDatabase(vault.home.phone())
            let consents = try await store.storedConsents()
            let known = try await store.banksThatKnowThisPhone()
            for bank in banks {
                show(
                    bank, consents.first { $0.bankID == bank.bankID }, known.first { $0.bankID == bank.bankID }?.since)
            }
            if banks.isEmpty, !json { Console.standard.line("no credentials are stored") }
        }
    }

    private func show(_ bank: StoredBank, _ consent: StoredConsent?, _ knownSince: Date?) {
        let now = Date()
        if json {
            let (changed, used) = (bank.changedAt.map { Timestamp($0) }, bank.lastUsedAt.map { Timestamp($0) })
            var line: [String: JSONValue] = [
                "bank_id": .string(bank.bankID), "credentials": .array(bank.credentials.map(JSONValue.string)),
                "changed_at": changed.map { .string("\($0)") } ?? .null,
                "last_used_at": used.map { .string("\($0)") } ?? .null,
            ]
            if !bank.programs.isEmpty {
                line["programs"] = .object(bank.programs.mapValues { .array($0.command.map(JSONValue.string)) })
            }
            if !bank.providers.isEmpty { line["providers"] = .object(bank.providers.mapValues(JSONValue.string)) }
            line["consent_ends_at"] = (consent?.endsAt).map { .string("\(Timestamp($0))") }
            line["consent_ended_at"] = (consent?.endedAt).map { .string("\(Timestamp($0))") }
            line["knows_device_since"] = knownSince.map { .string("\(Timestamp($0))") }
            return Console.standard.line(JSONValue.object(line).compactText())
        }
        Console.standard.line(bank.bankID, .bold)
        Console.standard.line("  credentials  \(bank.credentials.joined(separator: ", "))")
        for (name, program) in bank.programs.sorted(by: { $0.key < $1.key }) {
            Console.standard.line("  program      gives the \(name): \(program.command.joined(separator: " "))")
        }
        for (name, provider) in bank.providers.sorted(by: { $0.key < $1.key }) {
            Console.standard.line("  provider     gives the \(name): \(provider)")
        }
        Console.standard.line("  changed      \(bank.changedAt?.inWords() ?? "unknown")")
        Console.standard.line("  last used    \(bank.lastUsedAt?.inWords() ?? "never")")
        if let knownSince { Console.standard.line("  device       knows this device since \(knownSince.inWords())") }
        if let state = consent?.state(at: now) { Console.standard.line("  consent      \(state)") }
        if let offer = consent?.offer(at: now, bankName: bank.bankID) { Console.standard.line("  \(offer)", .bad) }
    }
}

struct PhoneBanksChangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Replace a bank's credentials, for example after you changed the password.",
        discussion: "Credentials that are not named again are removed. Stop `countersign phone serve` first.")

    @Argument(help: "The bank's id.", completion: .ownBanks)
    var bank: String

    @OptionGroup var vault: VaultOptions

    @OptionGroup var scripts: ScriptFolderOptions

    @Option(help: "A JSON file such as {\"username\": \"…\", \"password\": \"…\"}, - for standard input.")
    var credentials: String?

    func run() async throws {
        try await vault.withCredentials(changing: true) { stored in
            try await scripts.checkIsKnown(bank, to: stored)
            try scripts.checkIsAccepted(bank, in: vault.home.folder)
            let values = try scripts.answers(forBank: bank, file: credentials)
            try await stored.replace(values, forBank: bank)
            Console.standard.line("Stored: \(values.keys.sorted().joined(separator: ", ")) of \(bank)")
        }
    }
}

extension ScriptFolderOptions {
    /// Refuses an id that neither the vault nor a script knows, which is most likely mistyped.
    func checkIsKnown(_ bank: String, to stored: CredentialVault) async throws {
        let ids = try await stored.banks().map(\.bankID)
        guard !ids.contains(bank), try script(ofBank: bank) == nil else { return }
        let meant = nearest(to: bank, among: ids).map { "; did you mean \($0)?" } ?? ""
        let there =
            ids.isEmpty ? "no credentials are stored" : "credentials are stored for \(ids.joined(separator: ", "))"
        throw CommandFailure(
            "no credentials of “\(bank.inLine(limit: 60))” are stored, and no script is for it\(meant) (\(there)). For a new bank: "
                + "countersign banks add FILE, with the file of its script", status: 2)
    }
}

extension ScriptFolderOptions {
    /// Refuses a bank whose only script is not accepted, or not any more: it gets nothing new. A bank that has a plugged-in script
    /// works beside a file of the folder that is not accepted.
    ///
    /// - Parameter home: the phone's folder.
    func checkIsAccepted(_ bank: String, in home: URL) throws {
        let registry = try registry(home: home)
        guard registry.script(forBank: bank) == nil, let refusal = registry.refusal(forBank: bank) else { return }
        throw CommandFailure("nothing was changed: \(refusal.message)")
    }
}

struct PhoneBanksRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a bank's credentials from the vault.",
        discussion: "Stop `countersign phone serve` first.")

    @Argument(help: "The bank's id.", completion: .ownBanks)
    var bank: String

    @OptionGroup var vault: VaultOptions

    func run() async throws {
        try await vault.withCredentials(changing: true) { stored in
            try await stored.removeAll(forBank: bank)
            Console.standard.line("Removed: the credentials of \(bank)")
        }
    }
}

struct PhoneBanksRemoveDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-device", abstract: "Remove the cookies by which a bank knows this device.",
        discussion: "The bank asks for a code at the next visit. Stop `countersign phone serve` first, or use its page."
    )

    @Argument(help: "The bank's id.", completion: .ownBanks)
    var bank: String

    @OptionGroup var vault: VaultOptions

    func run() async throws {
        try await vault.withCredentials(changing: true) { stored in
            try await stored.forgetDevice(atBank: bank)
            Console.standard.line("Forgotten: \(bank) does not know this device any more")
        }
    }
}
