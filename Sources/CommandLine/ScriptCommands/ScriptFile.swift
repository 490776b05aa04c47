import Automation
import BankScript
import CountersignPlugins
import Encodings
import Foundation
import Secrets
import Terminal

/// A script's YAML file.
package struct ScriptFile {
    let path: String
    package let text: String

    package static func isName(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

    /// - Throws: ``CommandFailure`` with status 2 when the file cannot be read, 3 when it is not UTF-8.
    package init(path: String) throws {
        let bytes = try TypedPath.bytes(path, atMost: ScriptFolder.largest)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(path) is not UTF-8; save it as UTF-8", status: 3)
        }
        self.path = path
        self.text = text
    }

    /// A script that came from a collection.
    ///
    /// - Parameter path: the place to name in messages.
    /// - Throws: ``CommandFailure`` with status 3 when it is not UTF-8.
    init(fetched bytes: [UInt8], path: String) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(path) is not UTF-8", status: 3)
        }
        self.path = path
        self.text = text
    }

    /// A script that lies in no file.
    ///
    /// - Parameter path: the name by which messages call it.
    package init(text: String, path: String) {
        self.path = path
        self.text = text
    }

    /// Parses the script.
    ///
    /// - Throws: ``CommandFailure`` with status 3, the line and a caret when the file is not a valid script.
    package func script() throws -> BankScript {
        do {
            return try BankScript(yaml: text, file: path, steps: Plugins.current.names.steps)
        } catch {
            throw CommandFailure(error.described(in: text), status: 3)
        }
    }
}

extension Finding {
    /// The place, the severity, the message and the rule.
    var headline: String {
        "\(mark.map { "\($0): " } ?? "")\(severity.rawValue): \(message) [\(rule)]"
    }

    /// Returns the script's line with a caret under the place; nil if there is no such line.
    func excerpt(of text: String) -> String? {
        guard let mark else { return nil }
        let lines = mark.excerpt(of: text).map { "  \($0.visible)" }.joined(separator: "\n")
        guard !lines.isEmpty else { return nil }
        // More people read a build's log than the script.
        guard rule == ScriptLint.secretInScript, let subject else { return lines }
        return lines.replacing(subject.visible, with: Secret.mask)
    }

    /// Returns the headline, the excerpt and the hint on separate lines.
    func described(in text: String?) -> String {
        [headline, text.flatMap(excerpt), hint.map { "  hint: \($0)" }].compactMap(\.self).joined(separator: "\n")
    }
}

extension ScriptLint {
    /// Refuses a script that calls for a plug-in which this program does not have.
    ///
    /// - Throws: ``CommandFailure`` with status 3, which names the plug-ins that there are.
    static func refuseUnplugged(_ script: BankScript, source: String?) throws {
        let missing = described(in: script, source) { pluginRules.contains($0.rule) }
        if !missing.isEmpty { throw CommandFailure(missing.joined(separator: "\n"), status: 3) }
    }

    /// Refuses a script that has lint errors.
    ///
    /// - Parameter passed: the rules whose errors do not matter.
    /// - Throws: ``CommandFailure`` with status 3 and all the errors.
    package static func refuse(_ script: BankScript, source: String?, passing passed: Set<String> = []) throws {
        let errors = described(in: script, source) { $0.severity == .error && !passed.contains($0.rule) }
        guard !errors.isEmpty else { return }
        throw CommandFailure("the script is invalid:\n" + errors.joined(separator: "\n"), status: 3)
    }

    /// Returns the findings of one sort, each with its place in the text.
    private static func described(in script: BankScript, _ source: String?, _ isMeant: (Finding) -> Bool) -> [String] {
        findings(in: script, plugged: Plugins.current.names).filter(isMeant)
            .map { finding in (source.map(finding.located) ?? finding).described(in: source) }
    }
}
