import ArgumentParser
import Automation
import BankScript
import DefaultBank
import Foundation
import Terminal

/// A folder with scripts besides the built-in ones. The home records which of them are accepted.
package struct ScriptFolderOptions: ParsableArguments {
    @Option(help: "A folder with more scripts (YAML); each must be accepted once.", completion: .directory)
    package var scripts: String?

    package init() {}

    /// The folder of `--scripts`, else that of the household.
    package var folderPath: String? { scripts ?? HouseholdFile.current?.phone?.scripts }

    /// Returns the names of the credentials that a bank's script declares, accepted or not; nil for a bank without a script.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package func credentials(ofBank id: String) throws -> [String]? {
        let builtIn = [MeridianSavings.script].first { $0.id == id }
        guard let scripts = folderPath else { return builtIn?.credentials }
        do {
            let files = try ScriptFolder(URL(filePath: scripts, directoryHint: .isDirectory)).files()
            let script = files.lazy.compactMap { try? $0.script() }.first { $0.id == id }
            return (script ?? builtIn)?.credentials
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }

    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package func registry(home: URL) throws -> ScriptRegistry {
        guard let scripts = folderPath else { return ScriptRegistry([MeridianSavings.script]) }
        do {
            return try ScriptRegistry(
                [MeridianSavings.script], folder: ScriptFolder(URL(filePath: scripts, directoryHint: .isDirectory)),
                accepted: AcceptedScripts(home: home))
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }
}
