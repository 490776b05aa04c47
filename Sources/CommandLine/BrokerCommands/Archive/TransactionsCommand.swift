import ArgumentParser
import FileKinds
import Foundation
import Terminal

/// The transactions of a bank's files: what `archive export` and `archive gaps` do, under the name that people look for.
package struct TransactionsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "transactions", abstract: "Read a bank's files: show, check or convert their transactions.",
        discussion: """
            Reads CAMT.052, 053 and 054, MT940 and MT942, OFX, QFX and QBO, QIF, CSV with --columns or --profile\(plugged), \
            and ZIP archives of these. At a terminal the transactions are a table; --format writes another form, and into a pipe JSON \
            is written. Notes about what was left out or guessed are on standard error. --check writes no transactions.

            Exit status: 0; 1 when a file cannot be read, and with --check when the balances do not add up; 3 when the result \
            lacks bookings, files or accounts, or does not add up.

            Example: countersign transactions statement.sta
            """)

    /// The kinds that plug-ins bring, for the list of kinds.
    private static var plugged: String {
        FileKind.allCases.filter { $0.origin != nil && $0.hasTransactions }.map { ", \($0)" }.joined()
    }

    @OptionGroup var input: StatementFiles

    @Option(help: "The form of the result: json, csv, ofx, beancount or ledger. At a terminal a table without it.")
    var format: TransactionExport?

    @Flag(help: "Only check that the files can be read, and that the balances add up.")
    var check = false

    @OptionGroup var output: TransactionOutput

    package init() {}

    package func validate() throws {
        guard !check || format == nil && !output.isJSON && output.path == nil else {
            throw ValidationError("--check writes no transactions; leave out --format, --json and --output")
        }
        guard !output.isJSON || format == nil || format == .json else {
            throw ValidationError("--json is --format json; leave out one of --json and --format")
        }
    }

    package func run() async throws {
        try await reportingFailures {
            let histories = try await input.histories()
            let gaps = histories.accounts.flatMap(\.gaps)
            if check {
                let lacksSomething = histories.report()
                for gap in gaps { Console.standard.error(gap.message) }
                guard gaps.isEmpty else { throw ExitCode(1) }
                if lacksSomething { throw ExitCode(3) }
                return
            }
            var written: TransactionExport?
            if format == nil, !output.isJSON, output.path == nil, Console.isTerminal {
                for history in histories.accounts { show(history) }
            } else {
                written = try output.write(histories.accounts, as: format ?? .json)
            }
            let lacksAccounts = written?.lacksAccounts(histories.accounts) ?? false
            let lacksSomething = histories.report() || lacksAccounts
            for gap in gaps { Console.standard.error(gap.message) }
            if lacksSomething { throw ExitCode(3) }
        }
    }

    private func show(_ history: AccountHistory) {
        let account = history.account.isEmpty ? "account without a number" : "account \(history.account)"
        Console.standard.line("\(account), \(history.currency)", .faint)
        var table = Table("BOOKED", "AMOUNT", "COUNTERPARTY", "PURPOSE")
        // Amounts stand under one another.
        let amounts = history.transactions.map { transaction in
            transaction.currency == history.currency
                ? "\(transaction.amount)" : "\(transaction.amount) \(transaction.currency)"
        }
        let width = amounts.map(\.count).max() ?? 0
        for (transaction, amount) in zip(history.transactions, amounts) {
            table.add(
                transaction.booked.description, String(repeating: " ", count: width - amount.count) + amount,
                transaction.counterparty, transaction.purpose)
        }
        if !table.isEmpty { Console.standard.table(table) }
        for (name, balance) in [("opening", history.opening), ("closing", history.closing)] {
            guard let balance else { continue }
            let computed = name == "opening" && history.isOpeningComputed ? ", computed" : ""
            Console.standard.line("\(name) balance of \(balance.day): \(balance.amount)\(computed)")
        }
    }
}
