import ArgumentParser
import Automation
import BankScript
import CountersignPlugins
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

    /// Returns the script of a bank, accepted or not; nil for a bank without one.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package func script(ofBank id: String) throws -> BankScript? {
        let builtIn = Plugins.current.scripts.last { $0.id == id }
        guard let scripts = folderPath else { return builtIn }
        do {
            let files = try Self.folder(scripts).files()
            return files.lazy.compactMap { try? $0.script() }.first { $0.id == id } ?? builtIn
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }

    /// Returns the bank of a command that names none: the household's, else that of the only script in the folder, else the bank
    /// that ships. A person is asked which of several scripts is meant.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read, or there are several and no person at a terminal.
    package func usualBank() throws -> String {
        if scripts == nil, let own = HouseholdFile.current?.phone?.bankID { return own }
        let shipped = MeridianSavings.script.id
        guard let folderPath else { return shipped }
        let files: [ScriptFolder.File]
        do {
            files = try Self.folder(folderPath).files()
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
        let own = Set(files.compactMap { try? $0.script() }.filter { !$0.isForTesting }.map(\.id))
        return own.isEmpty ? shipped : try BankChoice.only(of: own.sorted())
    }

    private static func folder(_ path: String) -> ScriptFolder {
        ScriptFolder(URL(filePath: path, directoryHint: .isDirectory), plugged: Plugins.current.names)
    }

    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package func registry(home: URL) throws -> ScriptRegistry {
        guard let scripts = folderPath else { return ScriptRegistry(Plugins.current.scripts) }
        do {
            return try ScriptRegistry(
                Plugins.current.scripts, folder: Self.folder(scripts),
                accepted: AcceptedScripts(home: home))
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }
}
