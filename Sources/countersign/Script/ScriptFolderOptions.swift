import ArgumentParser
import Automation
import BankScript
import DefaultBank
import Foundation

/// A folder of scripts beside those that are built in, and the home where it is written which of them are accepted.
struct ScriptFolderOptions: ParsableArguments {
    @Option(help: "A folder with more scripts, YAML files; each has to be accepted once.", completion: .directory)
    var scripts: String?

    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    func registry(home: URL) throws -> ScriptRegistry {
        guard let scripts else { return ScriptRegistry([DefaultBank.script]) }
        do {
            return try ScriptRegistry(
                [DefaultBank.script], folder: ScriptFolder(URL(filePath: scripts, directoryHint: .isDirectory)),
                accepted: AcceptedScripts(home: home))
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }
}

/// Where the phone's state is.
struct HomeOption: ParsableArguments {
    @Option(help: "The phone’s folder (COUNTERSIGN_HOME); ~/.countersign otherwise.")
    var home: String?

    var folder: URL { Self.folder(home) }

    /// Where nothing else is said.
    static var standard: URL { folder(nil) }

    private static func folder(_ home: String?) -> URL {
        let path = home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? "~/.countersign"
        return URL(filePath: PhoneOptions.expanded(path), directoryHint: .isDirectory).standardizedFileURL
    }
}
