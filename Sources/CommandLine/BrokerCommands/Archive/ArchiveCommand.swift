import ArgumentParser

package struct ArchiveCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "File documents, find them again, and use the data in them.",
        discussion: """
            An archive is a folder, named by --archive or BROKER_ARCHIVE_PATH. A broker with that variable files every \
            statement in it. The documents are plain files under readable names; the index in the hidden folder .countersign \
            can be made again from them.

            export and gaps also read files that you name, without an archive: CAMT.052, 053 and 054, MT940 and MT942, OFX 1 and \
            2, QIF, or CSV. Their content tells which; a name does not. Nothing leaves this machine.
            """,
        subcommands: [
            ArchiveListCommand.self, ArchiveFindCommand.self, ArchiveAddCommand.self, ArchiveVerifyCommand.self,
            ArchiveRebuildCommand.self, ArchiveRemoveCommand.self, ArchiveExportCommand.self, ArchiveGapsCommand.self,
            ArchiveColumnsCommand.self,
        ])

    package init() {}
}
