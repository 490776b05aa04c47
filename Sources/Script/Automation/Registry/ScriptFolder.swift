import BankScript
import Foundation
import Machine

/// The reason why a folder of scripts, or the list of accepted scripts, cannot be read or written.
public struct ScriptFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Names the file, the problem, and the remedy.
    public let message: String

    public var description: String { message }
}

/// A folder of scripts as YAML files (`.yaml` or `.yml`). A matrix (`.test.yaml`) does not count.
public struct ScriptFolder: Sendable, Hashable {
    /// The maximum size of a script in bytes.
    public static let largest = 1 << 20

    public let url: URL
    /// The names of plug-ins that the scripts may call for.
    public let plugged: PluggedNames

    public init(_ url: URL, plugged: PluggedNames = .standard) {
        self.url = url
        self.plugged = plugged
    }

    /// One file of the folder. It is read once, so that the text that was checked is the text that runs.
    public struct File: Sendable, Hashable {
        /// The name as the person knows it: the folder's path and the file's name.
        public let name: String
        /// The text; nil when the file is too large, not UTF-8, not readable, or not a regular file.
        public let text: String?
        fileprivate let plugged: PluggedNames

        /// - Throws: ``BankScript/ScriptSyntaxError`` when the text is not a script, or when lint finds errors in it.
        public func script() throws(ScriptSyntaxError) -> BankScript {
            guard let text else {
                throw ScriptSyntaxError(
                    "the file cannot be read as a script", at: Mark(file: name, line: 1),
                    hint:
                        "check that it is a regular file, readable, UTF-8, and at most \(ScriptFolder.largest >> 20) MiB"
                )
            }
            let script = try BankScript(yaml: text, file: name, steps: plugged.steps)
            let findings = ScriptLint.findings(in: script, plugged: plugged)
            if let error = findings.first(where: { $0.severity == .error })?.located(in: text) {
                throw ScriptSyntaxError(
                    error.message, at: error.mark ?? Mark(file: name, line: 1), hint: error.hint)
            }
            return script
        }
    }

    /// Returns the folder's files, sorted by name.
    ///
    /// - Throws: ``ScriptFolderError`` when there is no such folder.
    public func files() throws(ScriptFolderError) -> [File] {
        let names: [String]
        var isFolder: ObjCBool = true
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue {
            throw ScriptFolderError(
                message:
                    "\(url.relativePath) is a file, but a folder with scripts is needed; give the folder that it is in")
        }
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            throw ScriptFolderError(
                message: "the folder of scripts \(url.relativePath) does not exist; make it, or name the one with your "
                    + "scripts")
        } catch {
            throw ScriptFolderError(
                message: "the scripts in \(url.relativePath) cannot be listed; check that the folder is yours")
        }
        return names.filter(Self.isScript).map { name in file(url.appending(path: name)) }
    }

    private static func isScript(_ name: String) -> Bool {
        (name.hasSuffix(".yaml") || name.hasSuffix(".yml")) && !name.hasPrefix(".")
            && !name.hasSuffix(".test.yaml") && !name.hasSuffix(".test.yml")
    }

    private func file(_ file: URL) -> File {
        File(name: file.relativePath, text: OpenedFile.text(of: file, atMost: Self.largest), plugged: plugged)
    }
}
