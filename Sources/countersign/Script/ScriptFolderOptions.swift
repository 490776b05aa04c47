import ArgumentParser
import Automation
import BankScript
import DefaultBank
import Foundation

/// A folder with scripts besides the built-in ones. The home records which of them are accepted.
struct ScriptFolderOptions: ParsableArguments {
    @Option(help: "A folder with more scripts (YAML); each must be accepted once.", completion: .directory)
    var scripts: String?

    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    func registry(home: URL) throws -> ScriptRegistry {
        guard let scripts else { return ScriptRegistry([MeridianSavings.script]) }
        do {
            return try ScriptRegistry(
                [MeridianSavings.script], folder: ScriptFolder(URL(filePath: scripts, directoryHint: .isDirectory)),
                accepted: AcceptedScripts(home: home))
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }
}
