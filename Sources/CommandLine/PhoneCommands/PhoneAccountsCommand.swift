import ArgumentParser
import Encodings
import HouseholdCommands
import Phone
import PhoneStore
import Storage
import Terminal

struct PhoneAccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List the accounts that banks have shown, and choose their aliases.",
        discussion: """
            A visit to a bank lists its accounts. Brokers and agents see an account's alias alone, never the bank's name of \
            it, which may hold its number. A document that was fetched keeps the alias that the account had then.
            """,
        subcommands: [PhoneAccountsListCommand.self, PhoneAccountsRenameCommand.self],
        defaultSubcommand: PhoneAccountsListCommand.self)
}

struct PhoneAccountsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the accounts of each bank.")

    @OptionGroup var home: HomeOption

    @Flag(help: "Print JSON, one account per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let accounts = try await PhoneDatabase(home.phone()).accounts()
            guard json || !Console.isTerminal || accounts.isEmpty else {
                var table = Table("BANK", "ACCOUNT", "THE BANK'S NAME", wrapsLast: true)
                for account in accounts { table.add(account.bankID, account.alias.description, account.name) }
                return Console.standard.table(table)
            }
            for account in accounts {
                if json {
                    let line: JSONValue = [
                        "bank_id": .string(account.bankID), "alias": .string(account.alias.description),
                        "name": .string(account.name), "is_chosen": .bool(account.isChosen),
                    ]
                    Console.standard.line(line.compactText())
                } else {
                    Console.standard.line(
                        "\(account.bankID.inLine())  \(account.alias)  (the bank's name: \(account.name.inLine()))")
                }
            }
            if accounts.isEmpty, !json {
                Console.standard.line("no account is known yet; a visit to a bank lists them", .faint)
            }
        }
    }
}

struct PhoneAccountsRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an account another alias.")

    @Argument(help: "The bank, by its id.")
    var bank: String

    @Argument(help: "The alias that the account has now.")
    var alias: AccountName

    @Argument(
        help: ArgumentHelp("The new alias: letters, digits and spaces, never an account's number.", valueName: "new"))
    var newAlias: AccountName

    @OptionGroup var home: HomeOption

    func run() async throws {
        try await reportingFailures {
            let home = try home.phone()
            // A running page keeps no aliases: its next look at the broker tells the new one.
            let store = try PhoneDatabase(home)
            try await store.rename(alias.alias, to: newAlias.alias, ofBank: bank)
            try await store.audit.record(
                AuditEvent(
                    .accountRenamed,
                    details: [
                        "bank_id": .string(bank), "from": .string("\(alias.alias)"), "to": .string("\(newAlias.alias)"),
                    ]))
            Console.standard.line("\(alias.alias) is called \(newAlias.alias) now")
        }
    }
}
