import BankScript
import Foundation

/// The scripts that this program may run, by the bank's identifier: those that are compiled in, and the YAML files of a
/// folder that the person has accepted.
public struct ScriptRegistry: Sendable {
    /// A file of the folder that is not run, and why.
    public struct Refusal: Sendable, Hashable {
        public var file: String
        /// nil where the file is no script.
        public var bankID: String?
        public var digest: ScriptDigest?
        /// What is wrong and what to do, for a person.
        public var message: String
    }

    private var scripts: [String: BankScript]
    /// The files of the folder that are not run.
    public private(set) var refusals: [Refusal] = []

    /// - Parameter scripts: of two for the same bank the later one counts.
    public init(_ scripts: [BankScript]) {
        self.scripts = Dictionary(scripts.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// The compiled scripts, and those of the folder whose digest is accepted; such a one comes before a compiled one
    /// for the same bank.
    ///
    /// - Throws: ``ScriptFolderError`` when the folder, or the list of what is accepted, cannot be read.
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
            }
        }
    }

    public var all: [BankScript] { scripts.values.sorted { $0.id < $1.id } }

    public func script(forBank id: String) -> BankScript? { scripts[id] }

    /// Why a bank that has a file in the folder has no script here.
    public func refusal(forBank id: String) -> Refusal? { refusals.first { $0.bankID == id } }

    /// The same with every script changed: pointed at another host, for one. What is refused stays refused.
    public func changing(_ change: (BankScript) -> BankScript) -> ScriptRegistry {
        var copy = self
        copy.scripts = scripts.mapValues(change)
        return copy
    }
}
