import BankScript

extension FailStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let isMet =
            condition.watchesPage && run.patienceOfStep != nil
            ? try await run.watch { () -> Bool? in try await run.holds(condition) ? true : nil }
            : try await run.holds(condition)
        if isMet == true { throw await run.declared(code, reason, by: condition) }
        if condition.watchesPage { run.lateFailures.append(self) }
    }

    public var signs: StepSigns { StepSigns([condition], continues: true) }
}
