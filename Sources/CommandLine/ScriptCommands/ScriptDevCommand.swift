import ArgumentParser
import AuthorDesk
import Authoring
import CountersignPlugins
import Foundation
import Terminal

struct ScriptDevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Work on a script in a page of your browser, beside the recorded pages.",
        discussion: """
            The page shows the script beside the pages of a recording, marks what each locator finds while you type, \
            offers locators for an element that you click or choose, and replays the script. It needs no network and no \
            credentials, works by keyboard alone, and can be opened on this machine only, at the address that is printed. \
            The file changes when you save, and at no other time. Nothing is accepted.

            The recording is a HAR file, as for `script replay`. Ctrl-C ends the page.
            """)

    @Argument(help: "The script's YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: "The recording. By default, the file beside the script with its name and the ending .har.",
        completion: .file(extensions: ["har"]))
    var har: String?

    @Option(name: .customLong("param"), help: "A parameter, e.g. month=1; repeat for each.")
    var parameters: [String] = []

    @Option(help: "The port of the page. By default, any free port.")
    var port = 0

    @Flag(help: "Do not open the page in a browser.")
    var noOpen = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
    }

    func run() async throws {
        guard ScriptFile.isName(file) else {
            throw CommandFailure("\(file) does not end in .yaml or .yml; name the script's file", status: 2)
        }
        // A file that cannot be read is an error here, where the person is, and not on the page.
        _ = try ScriptFile(path: file)
        let path = TypedPath.expanded(file)
        let recording = har ?? URL(filePath: path).deletingPathExtension().appendingPathExtension("har").path
        guard har != nil || FileManager.default.fileExists(atPath: recording) else {
            throw CommandFailure(
                "\(recording) does not exist; name a recording with --har, or make one: countersign script run \(file) --record "
                    + recording, status: 2)
        }
        let archive = try RecordingFile.read(recording)
        let typed = parameters
        let desk = AuthorDesk(
            ScriptOnDisk(path: path), recording: archive, plugged: Plugins.current.names,
            parameters: { try ScriptParameters.parse(typed, for: $0) })
        let server: DeskServer
        do {
            server = try await DeskServer.start(desk, port: port)
        } catch let error as DeskServerError {
            throw CommandFailure(error.description, status: 2)
        }
        let console = Console.standard
        console.disclose("The desk is open at \(server.address.revealed())\n")
        console.line("A person who has this address can save the script. Press Ctrl-C to stop it.", .faint)
        if !noOpen { Desktop.open(server.address) }
        await StopSignal.wait()
        await server.stop()
    }
}
