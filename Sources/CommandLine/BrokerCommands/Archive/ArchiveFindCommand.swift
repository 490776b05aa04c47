import Archive
import ArgumentParser
import Encodings
import Foundation
import Terminal

struct ArchiveFindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find documents by the words in them.",
        discussion: """
            All words have to occur, in the document's text or in its bank, account, month or name. Quotation marks keep \
            words together, and insur* finds every word that begins so. Accents and capitals do not matter. The documents \
            that were filed last come first. A document whose file is missing, or was changed since it was filed, is named as \
            such, and in JSON its path is null. Exit status: 0 when something was found, 1 when not.

            Example: countersign archive find insurance --bank meridian --from 2024-01
            """)

    @Argument(help: "The words.")
    var text: [String]

    @OptionGroup var place: ArchiveOption
    @OptionGroup var selection: DocumentSelectionOptions

    @Option(help: "The number of documents to show, at most 1000.")
    var limit = 20

    @Flag(help: "Print JSON, one document per line, with the member “excerpt”.")
    var json = false

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000") }
        guard !text.isEmpty else { throw ValidationError("give the words to find") }
    }

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            let found = try await archive.find(text.joined(separator: " "), selection.filter(limit: limit))
            var files: [String: URL] = [:]
            for one in found { files[one.document.sha256] = try? await archive.unchangedFile(of: one.document) }
            archive.close()
            let table = DocumentTable(console: .standard)
            if !found.isEmpty, !json { table.header() }
            for one in found {
                guard json else {
                    table.line(one.document)
                    let path = one.document.path.inLine(limit: 1000)
                    let isThere = files[one.document.sha256] != nil
                    Console.standard.line("    " + (isThere ? path : "\(path): \(DocumentTable.absence)"))
                    Console.standard.line(DocumentTable.cut(one.excerpt), .faint)
                    continue
                }
                var members = one.document.json.objectValue ?? [:]
                members["excerpt"] = .string(one.excerpt)
                if files[one.document.sha256] == nil { members["path"] = .null }
                Console.standard.line(JSONValue.object(members).compactText())
            }
            if found.isEmpty {
                if !json { Console.standard.line("nothing found") }
                throw ExitCode(1)
            }
        }
    }
}
