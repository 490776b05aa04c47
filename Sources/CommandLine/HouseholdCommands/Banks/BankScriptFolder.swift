import Automation
import BankScript
import CountersignPlugins
import DefaultBank
import Encodings
import Foundation
import Machine
import Phone
import ReadyBanks
import ScriptCommands
import Terminal

/// The folder with the scripts of a phone's banks, into which a new one is copied.
package struct BankScriptFolder: Sendable {
    /// A script, and its text if the folder does not hold it yet.
    package struct Placed: Sendable {
        package var script: BankScript
        /// True for a script that is plugged into this program, which needs no acceptance.
        package var isPluggedIn = false
        fileprivate var copy: (name: String, text: String)?

        /// True for a script that lies in the folder already.
        package var isThere: Bool { copy == nil && !isPluggedIn }
    }

    /// The folder has another script for the bank of a text.
    package struct AnotherScript: Error {
        package let bankID: String
        /// As the script in the folder calls it.
        package let bankName: String
        /// The path of the script in the folder.
        package let path: String
    }

    package let url: URL
    /// The household that the phone belongs to; nil for a phone that was set up by itself.
    package private(set) var household: HouseholdFile?
    private let plugins: Plugins

    /// - Parameters:
    ///   - given: the path of `--scripts`.
    ///   - home: the phone.
    /// - Throws: ``CommandFailure`` when no folder is known, or the household has another one.
    ///   - plugins: the plug-ins of this program.
    package init(given: String?, of home: PhoneHome, _ plugins: Plugins = .current) throws {
        self.plugins = plugins
        let own = HouseholdFile.current.flatMap { $0.phone?.isIn(home.folder) == true ? $0 : nil }
        let known = own?.phone?.scripts
        if let given {
            url = HouseholdSetup.folder(typed: given)
            guard known == nil || known == url.path else {
                throw CommandFailure(
                    "the scripts of this household are in \(known ?? ""), so leave --scripts out; the new script is copied "
                        + "there", status: 2)
            }
        } else if let known {
            url = URL(filePath: known, directoryHint: .isDirectory)
        } else if own != nil {
            url = HouseholdFile.dataFolder().appending(path: "scripts", directoryHint: .isDirectory)
        } else {
            throw CommandFailure("name the folder with the scripts of your banks: --scripts FOLDER", status: 2)
        }
        household = own
    }

    /// Returns the script in a file, or the one for a bank of this folder.
    ///
    /// - Parameter name: the path of a script, or a bank's id.
    /// - Throws: ``CommandFailure`` when there is no such script, or a phone cannot use it.
    func script(named name: String) throws -> Placed {
        let file = URL(filePath: TypedPath.expanded(name)).standardizedFileURL
        let isFile = ScriptFile.isName(name) || FileManager.default.fileExists(atPath: file.path)
        return try Self.meant(isFile ? read(file) : ofBank(name))
    }

    /// Returns the script of a text that lies in no file, as a file of the bank's id. It may be one for testing, which no phone uses.
    ///
    /// - Throws: ``CommandFailure`` when it is not a valid script; ``AnotherScript`` when the folder has another one for its bank.
    package func script(inText text: String) throws -> Placed {
        let source = ScriptFile(text: text, path: Self.nameOfText)
        var script = try source.script()
        try ScriptLint.refuse(script, source: text)
        // The text lies in no file, so no vouches lie beside it.
        script.source = nil
        // It is refused later, and is not compared with what lies in the folder.
        guard !script.isForTesting else { return Placed(script: script, copy: ("\(script.id).yaml", text)) }
        return try placed(script, text, named: "\(script.id).yaml")
    }

    /// The name by which messages call a text that lies in no file.
    private static let nameOfText = "script.yaml"

    /// Returns the script of a bank that is in this folder, plugged in, or ready. It may be one for testing, which no phone uses.
    ///
    /// - Throws: ``CommandFailure`` for a bank without a script, or when the folder cannot be read.
    package func script(ofBank id: String) throws -> Placed {
        guard let placed = try allPlaced()[id] else {
            throw CommandFailure("the script for “\(id)” is gone; choose another one", status: 2)
        }
        return placed
    }

    /// The scripts that need no file: those of the folder, the plugged-in ones, and the ready banks, one for each bank.
    ///
    /// - Throws: ``CommandFailure`` when the folder cannot be read.
    package var scriptsAtHand: [Placed] {
        get throws { try allPlaced().values.filter { !$0.script.isForTesting }.sorted { $0.script.id < $1.script.id } }
    }

    /// Reads each file of the folder once.
    private func allPlaced() throws -> [String: Placed] {
        let own = try files().compactMap { try? $0.script() }.map { Placed(script: $0) }
        let plugged = plugins.scripts.filter { !$0.isOfFictitiousBank }.map { Placed(script: $0, isPluggedIn: true) }
        let ready = ReadyBank.all.compactMap { bank in
            (try? bank.script()).map { Placed(script: $0, copy: (bank.fileName, bank.text)) }
        }
        // The folder's come first; of those that are plugged in, the latest one counts.
        return Dictionary(
            (own + plugged.reversed() + ready).map { ($0.script.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func meant(_ placed: Placed) throws -> Placed {
        guard !placed.script.isForTesting else {
            throw CommandFailure(
                "the script of “\(placed.script.id)” is for testing (testing: true), so no phone uses it; when its origins are "
                    + "the bank's, leave that line out", status: 2)
        }
        return placed
    }

    private func ofBank(_ id: String) throws -> Placed {
        let all = try allPlaced()
        if let placed = all[id] { return placed }
        let scripts = all.values.filter(\.isThere).map(\.script)
        let plugged = plugins.scripts.filter { !$0.isOfFictitiousBank }
        let known = [
            scripts.isEmpty ? nil : "\(url.path) has \(Self.list(scripts))",
            plugged.isEmpty ? nil : "plugged in is \(Self.list(plugged))",
            "ready are \(ReadyBank.all.map(\.id).joined(separator: ", "))",
        ].compactMap { $0 }
        throw CommandFailure(
            "“\(id)” is neither a file nor a bank whose script is known"
                + (nearest(to: id, among: (scripts + plugged).map(\.id) + ReadyBank.all.map(\.id)).map {
                    "; did you mean \($0)?"
                } ?? "")
                + (known.isEmpty ? "" : "; \(known.joined(separator: ", and "))")
                + ". Name the script's file; one can be drafted with: countersign script new", status: 2)
    }

    private static func list(_ scripts: [BankScript]) -> String { scripts.map(\.id).sorted().joined(separator: ", ") }

    private func read(_ file: URL) throws -> Placed {
        let source = try ScriptFile(path: file.path)
        let script = try source.script()
        try ScriptLint.refuse(script, source: source.text)
        guard ScriptFile.isName(file.lastPathComponent) else {
            throw CommandFailure("a script's name ends with .yaml; rename \(file.path)", status: 2)
        }
        if file.deletingLastPathComponent().path == url.standardizedFileURL.path { return Placed(script: script) }
        return try placed(script, source.text, named: file.lastPathComponent, renaming: file.path)
    }

    /// Returns a script that lies elsewhere, with its copy if the folder does not hold it.
    ///
    /// - Parameters:
    ///   - name: the name of the copy.
    ///   - path: the file that can be renamed; nil for a text that lies in no file.
    private func placed(
        _ script: BankScript, _ text: String, named name: String, renaming path: String? = nil
    ) throws -> Placed {
        for other in try files() {
            guard let there = try? other.script(), there.id == script.id else { continue }
            guard other.text == text else {
                guard path != nil else {
                    throw AnotherScript(bankID: there.id, bankName: there.name, path: other.name)
                }
                throw CommandFailure(
                    "\(other.name) is another script for “\(script.id)”; correct that file, and name it here", status: 2
                )
            }
            // The vouches for it lie beside that file.
            return Placed(script: there)
        }
        let place = url.appending(path: name)
        guard !FileManager.default.fileExists(atPath: place.path) else {
            throw CommandFailure(
                "\(place.path) is the script of another bank; rename \(path ?? place.path)", status: 2)
        }
        return Placed(script: script, copy: (name, text))
    }

    private func files() throws -> [ScriptFolder.File] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        do {
            return try ScriptFolder(url, plugged: plugins.names).files()
        } catch {
            throw CommandFailure(error.message, status: 2)
        }
    }

    /// Copies a script into the folder, if it is not there.
    ///
    /// - Throws: ``CommandFailure``. The folder is then as it was.
    package func place(_ placed: Placed) throws {
        guard let copy = placed.copy else { return }
        try write(copy.text, named: copy.name)
    }

    /// Checks that a script can be copied into the folder: a sign-in would else be made in vain.
    ///
    /// - Throws: ``CommandFailure``.
    package func checkCanPlace(_ placed: Placed) throws {
        guard let copy = placed.copy else { return }
        // A name that begins with a dot does not count among the scripts.
        let name = ".\(copy.name).\(UUID().uuidString)"
        try write(copy.text, named: name)
        try? FileManager.default.removeItem(at: url.appending(path: name))
    }

    /// Removes the copy that ``place(_:)`` has made, as long as it is that one.
    package func takeBack(_ placed: Placed) {
        guard let copy = placed.copy else { return }
        let file = url.appending(path: copy.name)
        guard OpenedFile.text(of: file, atMost: ScriptFolder.largest) == copy.text else { return }
        try? FileManager.default.removeItem(at: file)
    }

    private func write(_ text: String, named name: String) throws {
        do {
            try PrivateFolder.make(url)
            // A program that is killed here leaves this file behind, so each one uses another name.
            try AtomicFile.write(
                Array(text.utf8), toNew: url.appending(path: name),
                temporaryName: ".\(name).\(UUID().uuidString).tmp")
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// Lets the household's later starts find the folder of a script.
    package func remember(_ placed: Placed) throws {
        guard !placed.isPluggedIn, var household, household.phone?.scripts != url.path else { return }
        household.phone?.scripts = url.path
        try household.write(to: HouseholdFile.place())
    }

    /// Lets the phone count what a bank refused, or may have refused, in a test login.
    package func handOverRefusals(ofBank id: String) async throws {
        guard var phone = household?.phone else { return }
        phone.bankID = id
        try await RefusedLogins(dataFolder: HouseholdFile.dataFolder(), namesSetup: false).handOver(to: phone)
    }

    /// Checks that ``handOverRefusals(ofBank:)`` can read what the bank refused.
    ///
    /// - Throws: ``CommandFailure``.
    package func checkRefusals(ofBank id: String) throws {
        guard household?.phone != nil else { return }
        _ = try RefusedLogins(dataFolder: HouseholdFile.dataFolder(), namesSetup: false).count(atBank: id, at: Date())
    }
}
