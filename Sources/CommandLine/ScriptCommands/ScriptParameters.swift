import BankScript
import Encodings
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
        for parameter in loaded.parameters where !excluded.contains(parameter.name) {
            guard let value = values[parameter.name] else {
                // No bank has a statement of the first year that a script may name.
                let example = parameter.name == "year" ? nil : parameter.example
                let advice =
                    example.map { "add --param \(parameter.name.quoted(with: $0))" }
                    ?? "add --param \(parameter.name)=…, \(parameter.accepted)"
                throw CommandFailure("the script needs \(parameter.name); \(advice)", status: 2)
            }
            guard parameter.accepts(value) else {
                let isText = if case .number = parameter.kind { value.number == nil } else { true }
                throw CommandFailure(
                    "\(parameter.name) is \(isText ? "“\(value)”" : "\(value)"), but must be "
                        + (parameter.isNumber && isText ? "a whole number" : parameter.accepted), status: 2)
            }
        }
        return values
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
