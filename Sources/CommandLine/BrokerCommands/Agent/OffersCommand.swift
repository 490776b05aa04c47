import ArgumentParser
import BrokerClient
import Clocks
import Encodings
import Foundation
import Messages
import Terminal

package struct OffersCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "offers", abstract: "Offer documents for when the owner has time, as an agent.",
        discussion: """
            A request ends after five minutes without a decision. An offer waits on the phone for 90 days: its owner opens \
            it when they have time, and approves the request that it makes then.
            """,
        subcommands: [OffersListCommand.self, OffersAddCommand.self, OffersWithdrawCommand.self],
        defaultSubcommand: OffersListCommand.self)

    package init() {}
}

package struct OffersListCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List this agent's newest offers, those of schedules for it included.")

    @Flag(help: "Print JSON, one offer per line.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func run() async throws {
        let offers = try await broker.asking { client in try await client.offers() }
        for offer in offers { Console.standard.line(json ? offer.json.compactText() : offer.line) }
        if offers.isEmpty, !json { Console.standard.line("this agent has no offer", .faint) }
    }
}

package struct OffersAddCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Offer the documents of one month or several.")

    @Option(help: "The first month: 2025-01, last-month or this-month.")
    var from: StatementMonth

    @Option(help: "The last month; by default the first one.")
    var to: StatementMonth?

    @Option(help: "The kinds of documents, such as pdf,camt. By default pdf, or what the bank has in its place.")
    var kinds: DocumentKinds?

    @Option(help: AccountName.help)
    var account: [AccountName] = []

    @Option(
        help: "The bank, by its id in countersign banks; needed when there are several.", completion: .offeredBanks)
    var bank: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func validate() throws {
        try RangeEnd.checkOrder(from.period().map { RangeEnd($0) }, to?.period().map { RangeEnd($0) })
    }

    package func run() async throws {
        guard let first = from.period(), let last = (to ?? from).period() else {
            throw CommandFailure("last-month needs a clock after January 1900; set the machine's clock", status: 2)
        }
        let offer = try await broker.asking { client in
            try await BankChoice.asNeeded(bank, isAsked: !json) { bank in
                try await client.askingForUsualKind(kinds?.kinds, ofBank: bank) { kinds in
                    try await client.offerDocuments(
                        DocumentsRequest(
                            from: first, to: last, kinds: kinds ?? [.pdf], accounts: account.map(\.alias), bankID: bank)
                    )
                }
            }
        }
        Console.standard.line(json ? offer.json.compactText() : offer.line)
    }
}

package struct OffersWithdrawCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Take back an offer that waits.")

    @Argument(help: "The offer's id, or its first digits.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    package init() {}

    package func run() async throws {
        let withdrawn = try await broker.asking { client in
            let found = try await client.offers().filter { !id.isEmpty && $0.id.description.hasPrefix(id.lowercased()) }
            guard let offer = found.first, found.count == 1 else {
                throw CommandFailure(
                    "\(found.isEmpty ? "no" : "more than one") offer of this agent begins with \(id); "
                        + "countersign agent offers lists them")
            }
            return try await client.withdraw(offer.id)
        }
        Console.standard.line(json ? withdrawn.json.compactText() : withdrawn.line)
    }
}

extension DocumentOffer {
    /// The offer on one line.
    fileprivate var line: String {
        "\(id)  \(status.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0))  \(bankID.inLine())  "
            + words.inLine(limit: 400)
            + (requestID.map { "  request \($0)" } ?? "")
    }
}
