import Foundation
import Terminal

/// A file of variables as systemd reads it (systemd.exec(5), EnvironmentFile=): lines of NAME=VALUE, with comments.
struct VariablesFile {
    /// Reads a file. A value may stand in single or double quotes.
    ///
    /// - Throws: ``CommandFailure``, which names the line.
    static func read(_ path: String) throws(CommandFailure) -> [String: String] {
        guard let text = String(validating: try TypedPath.bytes(path, atMost: 1 << 20, failingWith: 1), as: UTF8.self)
        else { throw CommandFailure("\(path) is not UTF-8; save it as UTF-8") }
        var variables: [String: String] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
            guard let match = line.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_]*)=(.*)/) else {
                throw CommandFailure("\(path):\(number + 1): the line must be NAME=VALUE, or begin with #", status: 2)
            }
            variables[String(match.1)] = unquoted(String(match.2))
        }
        return variables
    }

    private static func unquoted(_ value: String) -> String {
        guard value.count >= 2, let first = value.first, first == "\"" || first == "'", value.last == first else {
            return value
        }
        return String(value.dropFirst().dropLast())
    }
}
