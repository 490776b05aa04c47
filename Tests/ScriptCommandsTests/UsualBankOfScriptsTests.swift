import BankScript
import CountersignPlugins
import DefaultBank
import Foundation
import Terminal
import TestSupport
import Testing

@testable import ScriptCommands

/// The bank that a command means when it names none, on a phone without a household.
@Suite("The usual bank of a phone's scripts")
struct UsualBankOfScriptsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let plugged: [String]
        var testing: [String] = []
        let folder: [String]
        let bank: String?
        var testDescription: String { "plugged in \(plugged + testing), in the folder \(folder)" }
    }

    static let rows = [
        Row(plugged: [], folder: [], bank: MeridianSavings.script.id),
        Row(plugged: ["mine"], folder: [], bank: "mine"),
        Row(plugged: [], testing: ["trial"], folder: [], bank: MeridianSavings.script.id),
        Row(plugged: [], folder: ["other"], bank: "other"),
        Row(plugged: ["mine"], folder: ["mine"], bank: "mine"),
        Row(plugged: ["mine"], folder: ["other"], bank: nil),
        Row(plugged: ["mine", "yours"], folder: [], bank: nil),
        Row(plugged: [MeridianSavings.script.id], folder: [], bank: MeridianSavings.script.id),
        Row(plugged: [MeridianSavings.script.id, "mine"], folder: [], bank: nil),
    ]

    @Test("is the only one, plugged in or in the folder; of several, one must be named", arguments: rows)
    func usual(row: Row) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for id in row.folder {
            let text = "bank: \(id)\nname: Of the folder\norigins: [https://bank.example]\nsteps:\n  - download: PDF\n"
            try Data(text.utf8).write(to: folder.url.appending(path: "\(id).yaml"))
        }
        let plugins =
            Plugins.standard + row.plugged.map { .script(Self.script($0, isForTesting: false)) }
            + row.testing.map { .script(Self.script($0, isForTesting: true)) }
        let options = try ScriptFolderOptions.parse(row.folder.isEmpty ? [] : ["--scripts", folder.url.path])
        guard let bank = row.bank else {
            let failure = #expect(throws: CommandFailure.self) { try options.usualBank(plugins, of: nil) }
            for id in row.plugged { #expect(failure?.message.contains(id) == true) }
            return
        }
        #expect(try options.usualBank(plugins, of: nil) == bank)
    }

    private static func script(_ id: String, isForTesting: Bool) -> BankScript {
        let script = BankScript(id, named: "Bank", at: "https://bank.example") { Download("PDF") }
        return isForTesting ? script.served(at: "http://127.0.0.1:1", isForTesting: true) : script
    }
}
