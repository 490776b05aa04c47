import BankScript
import Clocks

extension ScriptExecution {
    /// Performs the steps before the months once, and those of each month in turn.
    ///
    /// The run goes on after a month without a document, because the next one may have one. Any other failure ends it,
    /// because the next month would meet it as well.
    ///
    /// - Parameter receive: takes the document of a month, or the reason why it is missing, before the next month begins.
    func performEach(
        _ periods: [MonthYear],
        _ receive: @Sendable (MonthYear, Result<FetchedDocument, RunFailure>) async throws(RunFailure) -> Void
    ) async throws {
        if let ledger { await engine.beforeRepeating { try ledger.sendAgain() } }
        try await perform(script.steps, depth: 0, from: 1)
        let kept = captures
        for period in periods {
            captures = kept
            found = nil
            set(period)
            let outcome: Result<FetchedDocument, RunFailure>
            do {
                try await perform(script.forEachPeriod, depth: 0, from: script.steps.count + 1)
                outcome = .success(try takeDocument())
            } catch let failure as RunFailure where failure.concernsOneDocument {
                discardDocument()
                outcome = .failure(failure)
            }
            try await receive(period, outcome)
        }
    }
}

extension RunFailure {
    /// True if the same visit may still bring other documents.
    var concernsOneDocument: Bool {
        switch reason {
        case .statementMissing: true
        case nil, .notAPDF, .tooLarge, .serverError: code == .pdfDownloadFailed
        default: false
        }
    }
}
