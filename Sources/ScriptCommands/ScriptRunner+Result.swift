import Automation
import BankScript
import Clocks

extension ScriptRunner {
    /// Runs a script and returns its outcome as a value, for a command that has to tidy up before it reports.
    func result(of script: BankScript, parameters: [String: ParameterValue]) async -> Result<
        FetchedDocument, RunFailure
    > {
        do throws(RunFailure) {
            return .success(try await run(script, parameters: parameters))
        } catch {
            return .failure(error)
        }
    }

    /// The same for several months.
    func result(
        of script: BankScript, forEach months: [MonthYear], parameters: [String: ParameterValue],
        _ documents: MonthlyDocuments
    ) async -> Result<Void, RunFailure> {
        do throws(RunFailure) {
            try await run(script, forEach: months, parameters: parameters) { (month, result) throws(RunFailure) in
                try documents.receive(result, for: month)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
