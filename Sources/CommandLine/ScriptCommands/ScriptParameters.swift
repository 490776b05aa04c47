import BankScript
import Encodings
import Foundation
import Terminal

/// Parameters from the command line, such as `month=1`.
enum ScriptParameters {
    /// Returns the values of all the parameters that the script declares.
    ///
    /// - Parameter excluded: the parameters whose values come from elsewhere.
    /// - Throws: ``CommandFailure`` with status 2.
    static func parse(
        _ texts: [String], for loaded: BankScript, except excluded: Set<String> = []
    ) throws -> [String: ParameterValue] {
        var values: [String: ParameterValue] = [:]
        for text in texts {
            let halves = text.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else {
                throw CommandFailure(
                    text.hasPrefix("=")
                        ? "“\(text)” has no name; write for example --param month=1"
                        : "“\(text)” has no value; write it behind an equals sign: --param \(halves.first ?? "")=…",
                    status: 2)
            }
            let name = String(halves[0])
            guard loaded.parameters.contains(where: { $0.name == name }) else {
                let known = loaded.parameters.map(\.name)
                let advice =
                    nearest(to: name, among: known).map { "did you mean \($0)?" }
                    ?? (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
                throw CommandFailure("the script has no parameter “\(name)”; \(advice)", status: 2)
            }
            guard !excluded.contains(name) else {
                throw CommandFailure("\(name) comes from --from and --to; leave out --param \(name)", status: 2)
            }
            // A person may write 01 for 1. In a text, the zero counts.
            let isNumber = loaded.parameters.contains { $0.name == name && $0.isNumber }
            let number = isNumber ? Int(halves[1]) : nil
            let value = number.map { ParameterValue($0) } ?? ParameterValue(String(halves[1]))
            guard values.updateValue(value, forKey: name) == nil else {
                throw CommandFailure("\(name) is given twice; give it once", status: 2)
            }
        }
        let missing = loaded.parameters.filter { !excluded.contains($0.name) && values[$0.name] == nil }
        guard missing.isEmpty else {
            throw CommandFailure(
                "the script needs \(missing.map(\.name).listed); add \(missing.map(Self.words).joined(separator: " "))",
                status: 2)
        }
        for parameter in loaded.parameters {
            guard let value = values[parameter.name] else { continue }
            guard parameter.accepts(value) else {
                let isText = if case .number = parameter.kind { value.number == nil } else { true }
                throw CommandFailure(
                    "\(parameter.name) is \(isText ? "“\(value)”" : "\(value)"), but must be "
                        + (parameter.isNumber && isText ? "a whole number" : parameter.accepted), status: 2)
            }
        }
        return values
    }

    /// Returns how a parameter is given, with a value that it takes.
    private static func words(_ parameter: Parameter) -> String {
        // No bank has a statement of the first year that a script may name.
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        let example = parameter.name == "year" && parameter.isNumber ? "\(year)" : parameter.example
        return example.map { "--param \(parameter.name.quoted(with: $0))" }
            ?? "--param \(parameter.name)=… (\(parameter.accepted))"
    }
}

extension Parameter {
    fileprivate var isNumber: Bool { if case .number = kind { true } else { false } }
}

extension String {
    /// Returns the words `NAME=VALUE` for a shell.
    fileprivate func quoted(with value: String) -> String {
        value.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } ? "\(self)=\(value)" : "'\(self)=\(value)'"
    }
}
