import ArgumentParser

struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Use the data in statements: export transactions, and find gaps.",
        discussion: """
            The files are CAMT.052 and 053, MT940 and MT942, OFX 1 and 2, QIF, or CSV. Their content tells which; a name does \
            not. Nothing is written but what you ask for, and nothing leaves this machine.
            """,
        subcommands: [ArchiveExportCommand.self, ArchiveGapsCommand.self])
}
