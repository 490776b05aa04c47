import ArgumentParser
import Authoring
import Encodings
import Foundation
import Terminal

struct ScriptExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a script's page steps for Chrome's Recorder.",
        discussion: """
            To look at the steps in a browser, open the Recorder panel of Chrome's developer tools, and import the file. \
            Credentials and parameters stand there as $username and {{ year }}; the file holds no secret. Steps that the \
            Recorder does not have, such as a second factor or a search, become custom steps, which it passes over.

            `countersign script new --from FILE` reads the file back as the same script.
            """)

    @OptionGroup var script: ScriptArgument

    @Option(help: "Write to this file instead of standard output; it must not exist yet.")
    var output: String?

    func run() throws {
        let file = ChromeRecorderFile(try script.loadValid())
        let data = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: Data(file.json.compactBytes())),
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        let text = String(decoding: data, as: UTF8.self) + "\n"
        guard let output else { return Console.standard.text(text) }
        try FileManager.default.createFile(exclusively: output, Data(text.utf8))
        let (shown, all) = file.counts
        Console.standard.line(
            "Wrote \(output): \(shown) of \(all.counted("step")) \(shown == 1 ? "is" : "are") the Recorder's own; every other one is a custom "
                + "step.")
    }
}
