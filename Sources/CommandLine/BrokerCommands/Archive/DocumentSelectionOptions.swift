import Archive
import ArgumentParser
import Clocks
import FileKinds

/// Which of the archive's documents a command is about.
struct DocumentSelectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only documents of this bank, by its id.", valueName: "id"))
    var bank: String?

    @Option(help: ArgumentHelp("Only documents of this account, by its alias.", valueName: "alias"))
    var account: String?

    @Option(help: "Only documents of this kind.")
    var kind: FileKind?

    @Option(help: ArgumentHelp("The first month, such as 2025-01.", valueName: "month"), transform: TypedMonth.month)
    var from: MonthYear?

    @Option(help: ArgumentHelp("The last month, such as 2025-12.", valueName: "month"), transform: TypedMonth.month)
    var to: MonthYear?

    func filter(limit: Int? = nil) -> DocumentFilter {
        DocumentFilter(bank: bank, account: account, kind: kind, from: from, to: to, limit: limit)
    }
}

extension FileKind: ExpressibleByArgument {}

/// A month as a person types it.
enum TypedMonth {
    @Sendable static func month(_ text: String) throws -> MonthYear {
        guard let month = MonthYear(text) else { throw ValidationError("“\(text)” is not a month such as 2025-03") }
        return month
    }
}
