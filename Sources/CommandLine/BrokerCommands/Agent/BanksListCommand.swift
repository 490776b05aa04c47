import ArgumentParser
import Encodings
import Messages
import Terminal

package struct BanksListCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the banks that statements can be asked for from, as an agent.",
        discussion: "A phone tells the broker at its next look which banks it has a script and credentials for.")

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func run() async throws {
        let banks = try await broker.asking { client in try await client.banks() }
        if json { return Console.standard.line(BankList(banks).json.compactText()) }
        if Console.isTerminal, !banks.isEmpty { return Console.standard.table(Self.table(of: banks)) }
        let width = banks.map(\.bankID.count).max() ?? 0
        for bank in banks {
            Console.standard.line(
                bank.bankID.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(Self.name(of: bank))")
            let indent = String(repeating: " ", count: width + 2)
            if bank.kinds != [.pdf] {
                Console.standard.line(
                    indent + "kinds: " + bank.kinds.map(\.rawValue).joined(separator: ", "), .faint)
            }
            if !bank.accounts.isEmpty {
                Console.standard.line(
                    indent + "accounts: "
                        + bank.accounts.map(\.description).joined(separator: ", ").inLine(limit: 1000), .faint)
            }
            if bank.offersDays { Console.standard.line(indent + "also ranges of days", .faint) }
        }
        if banks.isEmpty {
            Console.standard.line(
                "no phone has told of a bank yet; on the phone, run: countersign phone pending", .faint)
        }
    }

    /// Returns a bank's name, with what a household knows of it: the bank of a trial is made up.
    static func name(of bank: OfferedBank, in household: HouseholdFile? = .current) -> String {
        let isTrial = household?.phone?.mockBank != nil && household?.phone?.bankID == bank.bankID
        return bank.name.inLine() + (isTrial ? " (a made-up bank)" : "")
    }

    static func table(of banks: [OfferedBank]) -> Table {
        var table = Table("ID", "BANK", "KINDS", "RANGE", "ACCOUNTS")
        for bank in banks {
            table.add(
                bank.bankID, name(of: bank), bank.kinds.map(\.rawValue).joined(separator: ", "),
                bank.offersDays ? "days" : bank.offersDocuments ? "months" : "a month",
                bank.accounts.map(\.description).joined(separator: ", "))
        }
        return table
    }
}
