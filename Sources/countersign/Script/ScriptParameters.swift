import BankScript
import TextMatching

/// Parameters from the command line, such as `month=1`.
enum ScriptParameters {
    /// Returns the values of all the parameters that the script declares.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    static func parse(_ texts: [String], for loaded: BankScript) throws -> [String: Int] {
        var values: [String: Int] = [:]
        for text in texts {
            let halves = text.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else {
                throw CommandFailure("“\(text)” is not a parameter; write for example --param month=1", status: 2)
            }
            let name = String(halves[0])
            guard loaded.parameters.contains(where: { $0.name == name }) else {
                let known = loaded.parameters.map(\.name)
                let advice =
                    nearest(to: name, among: known).map { "did you mean \($0)?" }
                    ?? (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
                throw CommandFailure("the script has no parameter “\(name)”; \(advice)", status: 2)
            }
            guard let value = Int(halves[1]) else {
                throw CommandFailure("\(name) is “\(halves[1])”, but must be a whole number", status: 2)
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw CommandFailure("\(name) is given twice; give it once", status: 2)
            }
        }
        for parameter in loaded.parameters {
            guard let value = values[parameter.name] else {
                throw CommandFailure(
                    "the script needs \(parameter.name); add --param \(parameter.name)=\(parameter.range.lowerBound)",
                    status: 2)
            }
            guard parameter.range.contains(value) else {
                let range = "\(parameter.range.lowerBound) to \(parameter.range.upperBound)"
                throw CommandFailure("\(parameter.name) is \(value), but must be \(range)", status: 2)
            }
        }
        return values
    }
}
