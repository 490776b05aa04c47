import ArgumentParser
import CountersignPlugins
import Encodings
import Terminal

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Show what is plugged into this program.",
        subcommands: [PluginsListCommand.self], defaultSubcommand: PluginsListCommand.self)
}

struct PluginsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the plug-ins: their kinds, names, versions, and the modules they come from.",
        discussion: """
            A program of your own adds plug-ins: docs/embedding.md. Names that scripts may use without a plug-in are listed \
            as built in.
            """)

    @Flag(help: "Print JSON.")
    var json = false

    func run() {
        var rows: [(kind: Plugin.Kind, name: String, version: String?, module: String?)] = []
        for kind in Plugin.Kind.allCases {
            rows += Plugins.builtIn(kind).map { (kind, $0, nil, nil) }
            rows += Plugins.current.all.filter { $0.kind == kind }.map { ($0.kind, $0.name, $0.version, $0.module) }
        }
        guard !json else {
            let list = rows.map { row -> JSONValue in
                [
                    "kind": .string(row.kind.rawValue), "name": .string(row.name),
                    "version": row.version.map(JSONValue.string) ?? .null,
                    "module": row.module.map(JSONValue.string) ?? .null,
                ]
            }
            return Console.standard.line(JSONValue.array(list).compactText())
        }
        var table = Table("kind", "name", "version", "from")
        for row in rows {
            table.add(row.kind.words, row.name, row.version ?? "-", row.module ?? "built in")
        }
        Console.standard.table(table)
    }
}
