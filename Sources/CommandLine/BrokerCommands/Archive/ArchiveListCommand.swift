import Archive
import ArgumentParser
import Foundation
import Terminal

struct ArchiveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the archive's documents, by bank, account and month.",
        discussion: """
            The id is the beginning of the document's SHA-256. --paths prints only the files' paths, for other programs. It reads \
            each file, and leaves out what is missing or was changed since it was filed.

            Example: countersign archive list --bank meridian --from 2025-01 --to 2025-12
            """)

    @OptionGroup var place: ArchiveOption
    @OptionGroup var selection: DocumentSelectionOptions

    @Flag(help: "Print only the files' paths, one per line.")
    var paths = false

    @Flag(help: "Print JSON, one document per line.")
    var json = false

    func validate() throws {
        guard !(paths && json) else { throw ValidationError("give --paths or --json, not both") }
    }

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            let documents = try await archive.documents(selection.filter())
            defer { archive.close() }
            let table = DocumentTable(console: .standard)
            if documents.isEmpty, !json, !paths { return Console.standard.line("no documents") }
            if Console.isTerminal, !json, !paths {
                return Console.standard.table(DocumentTable.table(of: documents, at: Date()))
            }
            if !json, !paths { table.header() }
            for document in documents {
                if json {
                    Console.standard.line(document.json.compactText())
                } else if paths {
                    if let file = try await archive.unchangedFile(of: document) {
                        Console.standard.line(file.path)
                    } else {
                        Console.standard.error(
                            "\(document.path.inLine(limit: 1000)) is left out: \(DocumentTable.absence)")
                    }
                } else {
                    table.line(document)
                }
            }
        }
    }
}
