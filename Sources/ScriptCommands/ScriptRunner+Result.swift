import Automation
import BankScript

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
}
