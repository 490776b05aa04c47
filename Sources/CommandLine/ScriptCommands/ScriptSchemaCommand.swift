import ArgumentParser
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Terminal

struct ScriptSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print a JSON Schema for scripts, for editors.",
        discussion: """
            Save it, and begin each script with this line, which the YAML language server reads:

              # yaml-language-server: $schema=./bank-script.schema.json
            """)

    func run() throws {
        let data = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(
                with: Data(ScriptSchema.json(of: Plugins.current.names.steps).canonicalBytes())),
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        Console.standard.lines(String(decoding: data, as: UTF8.self))
    }
}
