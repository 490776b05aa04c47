import ArgumentParser
import FileKinds
import Foundation
import Terminal

struct ArchiveExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the transactions of statements as JSON, CSV, OFX, beancount or ledger.",
        discussion: """
            A transaction that several files of one format have is written once, and its id is the same in every export. Gaps \
            between the statements, and what was left out or guessed, are reported on standard error. A ZIP archive is read \
            as the files in it. Exit status: 1 when a file cannot be read, and 3 when the result lacks bookings, files or \
            accounts, or does not add up.

            Example: countersign archive export --format beancount --from 2025-01-01 --output 2025.beancount statements/
            """)

    @OptionGroup var input: StatementFiles

    @Option(help: "The format.")
    var format: TransactionExport = .json

    @OptionGroup var output: TransactionOutput

    func run() async throws {
        try await reportingFailures {
            let histories = try await input.histories()
            let written = try output.write(histories.accounts, as: format)
            if input.files.isEmpty {
                await OwnerRecords.record(.archiveExported, ["format": .string(written.rawValue)])
            }
            let lacksSomething = histories.report() || written.lacksAccounts(histories.accounts)
            for gap in histories.accounts.flatMap(\.gaps) { Console.standard.error(gap.message) }
            if lacksSomething { throw ExitCode(3) }
        }
    }
}

extension TransactionExport: ExpressibleByArgument {}
