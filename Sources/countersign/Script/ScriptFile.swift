import BankScript
import Foundation

/// A script's YAML file: its text, and its value once it is read.
struct ScriptFile {
    let path: String
    let text: String

    static func isName(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

    /// - Throws: ``CommandFailure`` with status 2 when the file is not there, 3 when it is no text.
    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read; check that the file is there and yours to read", status: 2)
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CommandFailure("\(path) is not UTF-8; save it as UTF-8", status: 3)
        }
        self.path = path
        self.text = text
    }

    /// - Throws: ``CommandFailure`` with status 3, the line and a caret when the file is no script.
    func script() throws -> BankScript {
        do {
            return try BankScript(yaml: text, file: path)
        } catch {
            throw CommandFailure(error.described(in: text), status: 3)
        }
    }
}
