import BankScript

extension FailStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        if try await run.holds(condition) { throw await run.declared(code, reason, by: condition) }
        if condition.watchesPage { run.lateFailures.append(self) }
    }

    public var signs: StepSigns { StepSigns([condition], continues: true) }
}
