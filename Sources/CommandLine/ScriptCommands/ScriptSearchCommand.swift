import ArgumentParser
import Encodings
import Foundation
import ScriptCollections
import Terminal

struct ScriptSearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search the collections for a bank's script.",
        discussion: """
            Looks in the lists of the last update, without a network, at the bank's id, its name, its country, the kinds of \
            documents, the author and the origins.
            """)

    @Argument(help: "Words, e.g. northern de camt.")
    var words: [String]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var collections: CollectionOptions

    func run() async throws {
        try await reportingFailures {
            let found = try collections.keeper.search(words.joined(separator: " "))
            if json {
                let rows = found.map { collection, script -> JSONValue in
                    [
                        "collection": .string(collection.name), "bank_id": .string(script.bankID),
                        "name": .string(script.name), "country": .string(script.country),
                        "kinds": .array(script.kinds.map(JSONValue.string)), "author": .string(script.author),
                        "origins": .array(script.origins.map(JSONValue.string)), "path": .string(script.path),
                    ]
                }
                Console.standard.line(JSONValue.array(rows).compactText())
                return
            }
            guard !found.isEmpty else {
                Console.standard.line("No script has all of these words.")
                return
            }
            var table = Table("bank", "name", "country", "kinds", "author", "collection")
            for (collection, script) in found {
                table.add(
                    script.bankID, script.name, script.country, script.kinds.joined(separator: ","), script.author,
                    collection.name)
            }
            Console.standard.table(table)
        }
    }
}
