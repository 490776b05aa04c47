import ArgumentParser
import Encodings
import FileKinds
import Terminal

struct ArchiveGapsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaps", abstract: "Check that statements follow from one another and add up.",
        discussion: """
            Each statement's transactions must lead from its opening to its closing balance, and the next statement must begin \
            there. Exit status: 0 without gaps, 1 with gaps, and 3 when bookings or files are left out.

            Example: countersign archive gaps statements/
            """)

    @OptionGroup var input: StatementFiles

    @Flag(help: "Print JSON, one gap per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let read = try await input.histories()
            let histories = read.accounts
            let lacksSomething = read.report()
            for history in histories {
                for gap in history.gaps { show(gap, of: history) }
            }
            let count = histories.reduce(0) { $0 + $1.gaps.count }
            if count > 0 { throw ExitCode(1) }
            if lacksSomething { throw ExitCode(3) }
            if !json {
                let transactions = histories.reduce(0) { $0 + $1.transactions.count }
                Console.standard.line("no gaps; accounts: \(histories.count), transactions: \(transactions)")
            }
        }
    }

    private func show(_ gap: AccountHistory.Gap, of history: AccountHistory) {
        guard json else {
            return Console.standard.line("account …\(history.account.suffix(4)): \(gap.message)")
        }
        let line: JSONValue = [
            "account": .string(history.account), "currency": .string(history.currency),
            "day": .string(gap.day.description), "message": .string(gap.message),
            "difference": gap.difference.map { .string($0.description) } ?? .null,
        ]
        Console.standard.line(line.compactText())
    }
}
