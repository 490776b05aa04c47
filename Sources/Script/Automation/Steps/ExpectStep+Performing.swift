import BankScript

extension ExpectStep: PerformedStep {
    public func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws {
        let isMet =
            condition.watchesPage
            ? try await run.watch { () -> Bool? in try await run.holds(condition) ? true : nil }
            : try await run.holds(condition)
        guard isMet == true else { throw await run.unmet(condition) }
    }

    public var conduct: StepConduct { .provesSignIn }
    public var signs: StepSigns { StepSigns([condition]) }
}
