import BankScript

extension RequestStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        try await run.perform(self)
    }

    public var conduct: StepConduct { [.bringsAnswer] }
}
