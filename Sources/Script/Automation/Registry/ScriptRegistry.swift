import BankScript
import Foundation

/// The scripts that this program may run, by the bank's identifier: the compiled scripts, and the YAML files of a folder that
/// the person has accepted.
public struct ScriptRegistry: Sendable {
    /// A file of the folder that does not run, with the reason.
    public struct Refusal: Sendable, Hashable {
        public var file: String
        /// Nil when the file is not a script.
        public var bankID: String?
        public var digest: ScriptDigest?
        /// Tells a person what is wrong and what to do.
        public var message: String
    }

    private var scripts: [String: BankScript]
    /// The digests under which the folder's scripts were accepted, by bank. ``changing(_:)`` leaves them as they are.
    private var accepted: [String: ScriptDigest] = [:]
    /// The files of the folder that do not run.
    public private(set) var refusals: [Refusal] = []

    /// - Parameter scripts: when two are for the same bank, the later one counts.
    public init(_ scripts: [BankScript]) {
        self.scripts = Dictionary(scripts.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// Combines the compiled scripts with the accepted scripts of the folder, which replace compiled ones for the same bank.
    ///
    /// - Throws: ``ScriptFolderError`` when the folder, or the list of accepted scripts, cannot be read.
    public init(
        _ compiled: [BankScript], folder: ScriptFolder, accepted: AcceptedScripts
    ) throws(ScriptFolderError) {
        self.init(compiled)
        let digests = try accepted.digests()
        var files: [String: String] = [:]
        for file in try folder.files() {
            let script: BankScript
            do {
                script = try file.script()
            } catch {
                refusals.append(Refusal(file: file.name, bankID: nil, digest: nil, message: "\(error)"))
                continue
            }
            func refuse(_ message: String) {
                refusals.append(Refusal(file: file.name, bankID: script.id, digest: script.digest, message: message))
            }
            if !digests.contains(script.digest) {
                refuse(
                    "\(file.name) (\(script.name), digest \(script.digest.short)) has not been accepted; read it, then: "
                        + "countersign script accept \(file.name)")
            } else if let other = files[script.id] {
                refuse("\(file.name) is for the bank “\(script.id)”, as \(other) is; keep one of them in the folder")
            } else {
                files[script.id] = file.name
                scripts[script.id] = script
                self.accepted[script.id] = script.digest
            }
        }
    }

    public var all: [BankScript] { scripts.values.sorted { $0.id < $1.id } }

    public func script(forBank id: String) -> BankScript? { scripts[id] }

    /// Returns the digest under which the bank's script was accepted; nil for a script that is compiled in.
    public func acceptedDigest(forBank id: String) -> ScriptDigest? { accepted[id] }

    /// Returns the reason why the bank's file in the folder does not run.
    public func refusal(forBank id: String) -> Refusal? { refusals.first { $0.bankID == id } }

    /// Returns the registry without the script of one bank. Refusals stay.
    public func without(_ id: String) -> ScriptRegistry {
        var copy = self
        copy.scripts[id] = nil
        return copy
    }

    /// Returns the registry with the script of one more bank, in place of what it had for that bank.
    ///
    /// - Parameter digest: the one under which it was accepted; nil for a script that is compiled in.
    package func adding(_ script: BankScript, acceptedAs digest: ScriptDigest?) -> ScriptRegistry {
        var copy = self
        copy.scripts[script.id] = script
        copy.accepted[script.id] = digest
        copy.refusals.removeAll { $0.bankID == script.id }
        return copy
    }

    /// Returns the registry with every script changed, e.g. pointed at another host. Refusals stay.
    public func changing(_ change: (BankScript) -> BankScript) -> ScriptRegistry {
        var copy = self
        copy.scripts = scripts.mapValues(change)
        return copy
    }
}
