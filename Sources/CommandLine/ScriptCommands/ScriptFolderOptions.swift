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
        try Self.scripts(in: folderPath, besides: .current).first { $0.id == id }
    }

    /// Returns the bank of a command that names none: the household's, else the only one with a script, plugged in or in the
    /// folder, else the bank that ships. A person is asked which of several is meant.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read, or there are several and no person at a terminal.
    package func usualBank(
        _ plugins: Plugins = .current, of household: HouseholdFile? = .current
    ) throws -> String {
        if scripts == nil, let own = household?.phone?.bankID { return own }
        let own = try Self.scripts(in: scripts ?? household?.phone?.scripts, besides: plugins)
            .filter { !$0.isForTesting && !$0.isOfFictitiousBank }.map(\.id)
        return own.isEmpty ? MeridianSavings.bankID : try BankChoice.only(of: own)
    }

    /// Returns the scripts, accepted or not, by their banks' ids: one of the folder in place of a plugged-in one for its bank.
    private static func scripts(in path: String?, besides plugins: Plugins) throws -> [BankScript] {
        do {
            let files = try path.map { try folder($0, plugins).files().compactMap { try? $0.script() } } ?? []
            let ofFolder = Dictionary(files.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            return ScriptRegistry(plugins.scripts + ofFolder.values).all
        } catch let error as ScriptFolderError {
            throw CommandFailure(error.message, status: 2)
        }
    }

    private static func folder(_ path: String, _ plugins: Plugins = .current) -> ScriptFolder {
        ScriptFolder(URL(filePath: path, directoryHint: .isDirectory), plugged: plugins.names)
    }

    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package func registry(home: URL) throws -> ScriptRegistry { try Self.registry(ofFolder: folderPath, home: home) }

    /// Returns the plugged-in scripts, and those of a folder that are accepted in a home.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package static func registry(ofFolder path: String?, home: URL) throws -> ScriptRegistry {
        guard let scripts = path else { return ScriptRegistry(Plugins.current.scripts) }
        do {
            return try ScriptRegistry(
                Plugins.current.scripts, folder: folder(scripts),
                accepted: AcceptedScripts(home: home))
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }
}
