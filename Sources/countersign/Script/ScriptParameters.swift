import BankScript

/// Parameters from the command line, such as `month=1`.
enum ScriptParameters {
    /// Returns the values of all the parameters that the script declares.
    ///
    /// - Throws: ``CommandFailure`` with status 2.
    static func parse(_ texts: [String], for loaded: BankScript) throws -> [String: Int] {
        var values: [String: Int] = [:]
        for text in texts {
            let halves = text.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, let value = Int(halves[1]) else {
                throw CommandFailure("“\(text)” is not a parameter; write for example --param month=1", status: 2)
            }
            values[String(halves[0])] = value
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
