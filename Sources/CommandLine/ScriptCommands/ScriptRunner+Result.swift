import Automation
import BankScript
import Messages

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

    /// The same for several documents.
    func result(
        of script: BankScript, fetching places: [DocumentPlace], parameters: [String: ParameterValue],
        _ documents: MonthlyDocuments
    ) async -> Result<Void, RunFailure> {
        do throws(RunFailure) {
            try await run(script, fetching: places, parameters: parameters) { (place, result) throws(RunFailure) in
                try documents.receive(result, for: place)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }
}
