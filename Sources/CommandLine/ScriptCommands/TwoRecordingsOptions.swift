import ArgumentParser
import Automation
import BankScript

/// The parameters of the runs that two recordings of one bank show.
struct TwoRecordingsOptions: ParsableArguments {
    @Option(name: .customLong("param"), help: "A parameter of the new recording, e.g. month=1; repeat for each.")
    var parameters: [String] = []

    @Option(
        name: .customLong("old-param"),
        help: "A parameter of the old recording; repeat for each. By default those of --param.")
    var oldParameters: [String] = []

    /// Returns the values of the new recording and those of the old one.
    ///
    /// - Throws: a usage error for a parameter that the script does not have.
    func values(
        for script: BankScript
    ) throws -> (new: [String: ParameterValue], old: [String: ParameterValue]) {
        let values = try ScriptParameters.parse(parameters, for: script)
        return (values, oldParameters.isEmpty ? values : try ScriptParameters.parse(oldParameters, for: script))
    }
}
