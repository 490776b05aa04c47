import Archive
import ArgumentParser
import Encodings
import Foundation
import Terminal

struct ArchiveRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove documents from the index, so that they can be filed again.",
        discussion: """
            The files stay, and rebuild takes them into the index again; --delete-files removes them too, but only those \
            that are as they were filed.

            Example: countersign archive remove 3f2a91bc07
            """)

    @Argument(help: "The documents' ids, or their SHA-256.")
    var ids: [String]

    @OptionGroup var place: ArchiveOption

    @Flag(help: "Also remove the files.")
    var deleteFiles = false

    @Flag(help: "Print JSON, one document per line.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let archive = try place.open()
            // All ids first: a wrong one then changes nothing.
            var documents: [ArchivedDocument] = []
            for id in ids { documents.append(try await archive.document(id)) }
            for document in documents {
                try await archive.forget(document, deletingFile: deleteFiles)
                if json {
                    Console.standard.line(document.json.compactText())
                } else {
                    Console.standard.line("removed from the index: \(document.path)")
                }
            }
            archive.close()
        }
    }
}
